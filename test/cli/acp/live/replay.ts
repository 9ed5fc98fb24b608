/**
 * A recorded conversation, played to a dialogue: the agent's lines go in, and the caller does what the recorded caller
 * did, at the same points. The dialogue must write the recorded lines.
 */
import { readFileSync } from "node:fs"
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import type { AcpFlavor } from "../../../../src/cli/acp/live/flavor.ts"
import { type Action, type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { recordingUrl } from "../../../kit/recordings.ts"

interface Line {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly prompt?: ReadonlyArray<{ readonly text: string }>; readonly sessionId?: string }
  readonly result?: { readonly outcome?: { readonly outcome: string; readonly optionId?: string } }
  readonly error?: { readonly code: number }
}

export interface Recording {
  readonly sent: ReadonlyArray<Line>
  readonly said: ReadonlyArray<unknown>
}

/** Recordings of OpenCode. */
export const readRecording = (folder: string): Recording => {
  const lines = (name: string) =>
    readFileSync(recordingUrl("opencode", `${folder}/${name}.ndjson`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  return { sent: lines("stdin"), said: lines("stdout") }
}

export interface Replayed {
  readonly outputs: ReadonlyArray<Output>
  readonly written: ReadonlyArray<unknown>
  readonly dialogue: Dialogue
}

/** A line without accidental content: version names, and wording of errors. */
export const essence = (line: unknown): unknown => {
  const { id, method, params, result, error }: Line & { readonly params?: object } = line as Line // recorded by hand
  if (method === "initialize") return { id, method }
  if (error !== undefined) return { id, error: error.code }
  const { outcome } = result ?? {}
  return { id, method, params, outcome: outcome && { outcome: outcome.outcome, optionId: outcome.optionId } }
}

const context = { workingDirectory: "/workspace", privateDirectory: "/private" }

export interface ReplayOptions {
  /** The output after which the recorded caller cancelled. */
  readonly cancelAt?: "text" | "tool_use" | "Asked"
}

const isCallersLine = ({ method, result }: Line) =>
  method === "session/prompt" || method === "session/cancel" || result?.outcome?.outcome === "selected"

export const replay = (
  flavor: AcpFlavor,
  { sent, said: text }: Recording,
  params: AgentOpenParams,
  { cancelAt = "text" }: ReplayOptions = {}
): Replayed => {
  const dialogue = acpDialogue(flavor)(params, context)
  const recorded = sent.filter(isCallersLine)
  const outputs: Array<Output> = []

  const takeRecorded = (method: string) => {
    if (recorded[0]?.method !== method) return undefined
    return recorded.shift()
  }

  const decide = (requestId: string) => {
    const answer = recorded[0]?.result === undefined ? undefined : recorded.shift()
    const decision = answer?.result?.outcome?.optionId === "reject" ? "deny" : "allow"
    perform(dialogue.decide(requestId, decision === "deny" ? { decision, message: "no" } : { decision }))
  }

  const react = (action: Action) => {
    const mayPrompt = action._tag === "Opened" || action._tag === "TurnEnded"
    const prompt = mayPrompt ? takeRecorded("session/prompt") : undefined
    if (prompt !== undefined) perform(dialogue.turn(prompt.params?.prompt?.[0]?.text ?? ""))
    if (action._tag === "Asked" && recorded[0]?.method !== "session/cancel") decide(action.ask.requestId)
  }

  const perform = (input: ReadonlyArray<Output>) => {
    for (const output of input) {
      outputs.push(output)
      const name = isAction(output) ? output._tag : output.type
      if (name === cancelAt && takeRecorded("session/cancel") !== undefined) perform(dialogue.interrupt())
      if (isAction(output)) react(output)
    }
  }

  perform(dialogue.open())
  for (const line of text) perform(dialogue.push(line))
  return {
    outputs,
    dialogue,

    written: outputs.flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json] : []))
  }
}

/** One line for each output, to be reviewed by eye. */
export const described = (output: Output): string => {
  if (!isAction(output)) {
    const { type, ...rest } = output
    return `${type} ${JSON.stringify(type === "tool_result" ? { ...rest, raw: undefined } : rest)}`
  }
  const { _tag, ...rest } = output
  return `${_tag} ${JSON.stringify(_tag === "Write" ? essence(output.json) : rest)}`
}
