/** Plays the host of a recorded live session: the recorded stdout goes in, and the host acts at certain moments. */
import { readFileSync } from "node:fs"
import { assert } from "vitest"
import { makeDialogue } from "../../../../src/cli/codex/live/dialogue.ts"
import { type Action, type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { recordingUrl } from "../../../kit/recordings.ts"

export type Tag = Action["_tag"]
export type Tagged<T extends Tag> = Extract<Action, { _tag: T }>

/** Lines of JSON, whose shape is what the test is about. */
// biome-ignore lint/suspicious/noExplicitAny: recorded lines are looked at as they are
export type Json = any

type Outputs = ReadonlyArray<Output>

/** The host acts at the next output that fits. */
export interface Moment {
  readonly at: (output: Output) => boolean
  readonly act: (dialogue: Dialogue, output: Json) => Outputs | undefined
}

export const when = <T extends Tag>(tag: T, act: (dialogue: Dialogue, action: Tagged<T>) => Outputs): Moment => ({
  at: (output) => isAction(output) && output._tag === tag,
  act: (dialogue, output: Json) => act(dialogue, output)
})

const folder = recordingUrl("codex", "live/")

export const linesOf = (scenario: string, file: "stdin" | "stdout"): ReadonlyArray<Json> =>
  readFileSync(new URL(`${scenario}/${file}.ndjson`, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

export const context = { workingDirectory: "/workspace", privateDirectory: "/private" }

const requests = (lines: ReadonlyArray<Json>, method: string) =>
  lines.filter((line) => line.id !== undefined && line.method === method).map(({ id }) => id)

/** The answer to the same request of ours; undefined where that was not made. */
const readdressed = (line: Json, recorded: ReadonlyArray<Json>, content: ReadonlyArray<Json>): Json | undefined => {
  if (line.id === undefined || line.method !== undefined) return line
  const request = recorded.find(({ id, method }) => id === line.id && method !== undefined)
  const place = requests(recorded, request.method).indexOf(line.id)
  const id = requests(content, request.method)[place]
  return id === undefined ? undefined : { ...line, id }
}

export interface Played {
  readonly outputs: Outputs
  /** Without the envelope. */
  readonly written: ReadonlyArray<Json>
  /** The recorded stdin. */
  readonly recorded: ReadonlyArray<Json>
  readonly standing: string
  readonly dialogue: Dialogue
}

export const play = (scenario: string, params: AgentOpenParams, moments: ReadonlyArray<Moment>): Played => {
  const recorded = linesOf(scenario, "stdin")
  const dialogue = makeDialogue(params, context)
  const outputs: Array<Output> = []
  const content: Array<Json> = []
  let next = 0
  const perform = (input: Outputs) => {
    for (const output of input) {
      if (isAction(output) && output._tag === "Write") {
        const { jsonrpc: _, ...line } = output.json as Json // a line is an object
        content.push(line)
        // Requests that were not in the recording are refused.
        const isNew = line.method !== undefined && !recorded.some(({ method }) => method === line.method)
        if (isNew) perform(dialogue.push({ id: line.id, error: { code: -32600, message: "not recorded" } }))
      } else outputs.push(output)
      const moment = moments[next]
      if (moment === undefined || !moment.at(output)) continue
      next++
      perform(moment.act(dialogue, output) ?? assert.fail("the dialogue refused the action"))
    }
  }
  perform(dialogue.open())
  for (const line of linesOf(scenario, "stdout")) {
    const ours = readdressed(line, recorded, content)
    if (ours !== undefined) perform(dialogue.push(ours))
  }
  assert.strictEqual(next, moments.length, "a moment did not come")
  return { outputs, written: content, recorded, standing: dialogue.standing(), dialogue }
}

export const actions = <T extends Tag>({ outputs }: Pick<Played, "outputs">, tag: T) =>
  outputs.filter((output): output is Tagged<T> => isAction(output) && output._tag === tag)

export const ofType = ({ outputs }: Pick<Played, "outputs">, type: string): ReadonlyArray<Json> =>
  outputs.filter((output) => !isAction(output) && output.type === type)

/** One word for each output that is not empty. */
export const brief = ({ outputs }: Pick<Played, "outputs">): ReadonlyArray<string> =>
  outputs.map((output: Json) => {
    if (output._tag === "TurnEnded") return output.isInterrupted ? "interrupted" : output.verdict._tag
    if (output._tag === "Withdrawn") return `Withdrawn ${output.requestId}`
    if (output._tag !== undefined) return output._tag
    if (output.type === "text") return `text ${JSON.stringify(output.text)}`
    if (output.type === "tool_use") return `use ${output.toolId} ${output.title}`
    if (output.type === "tool_result")
      return `${output.isError ? "error" : "result"} ${output.toolId} ${output.output.trim()}`
    return output.type === "notice" ? `notice ${output.kind}` : output.type
  })
