/**
 * Plays the caller of a recorded live session: the CLI's lines go in, and the caller acts at the recorded places. The
 * dialogue must write the recorded stdin.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert } from "vitest"
import type { Standing } from "../../../../src/cli/Cli.ts"
import { live } from "../../../../src/cli/gemini/index.ts"
import { type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import type { PermissionMode } from "../../../../src/contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { recordingUrl } from "../../../kit/recordings.ts"

/** Lines of JSON, whose shape is what the test is about. */
// biome-ignore lint/suspicious/noExplicitAny: recorded lines are looked at as they are
type Json = any

/** In the order of writing and printing. */
type Line = { readonly host: Json } | { readonly cli: Json }

const folder = recordingUrl("gemini", "live/")

export const scenarios = readdirSync(folder)

const read = (scenario: string, file: string) => readFileSync(new URL(`${scenario}/${file}`, folder), "utf8")

export interface Expectation {
  readonly about: string
  readonly params?: AgentOpenParams
  readonly outputs: ReadonlyArray<Json>
}

export const expectationOf = (scenario: string): Expectation => JSON.parse(read(scenario, "expected.json"))

const linesOf = (scenario: string): ReadonlyArray<Line> =>
  read(scenario, "talk.ndjson")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const modes: Readonly<Record<string, PermissionMode>> = {
  default: "default",
  plan: "plan",
  autoEdit: "accept-edits",
  yolo: "bypass"
}

/**
 * A line without the parts that differ between recordings: our numbers, our name, and for how long something is
 * allowed.
 */
const plain = ({ id: _id, ...line }: Json): Json => {
  if (line.method === "initialize") return { ...line, params: { protocolVersion: line.params.protocolVersion } }
  const chosen = line.result?.outcome?.optionId
  if (typeof chosen !== "string" || !chosen.startsWith("proceed_always")) return line
  return { ...line, result: { outcome: { outcome: "selected", optionId: "proceed_once" } } }
}

/** The action behind a written line; none for lines that the dialogue writes by itself. */
const actionOf = (line: Json, dialogue: Dialogue, request: ReadonlyMap<unknown, string>): ReadonlyArray<Output> => {
  switch (line.method) {
    case "session/prompt":
      // The blank without a width is ours, not the caller's.
      return dialogue.turn(line.params.prompt[0].text.replace(/^\u200B/, ""))
    case "session/cancel":
      return dialogue.interrupt()
    case "session/set_model":
      return dialogue.change("change", { _tag: "Model", model: line.params.modelId })
    case "session/set_mode":
      return dialogue.change("change", {
        _tag: "PermissionMode",
        permissionMode: modes[line.params.modeId] ?? assert.fail(line.params.modeId)
      })
  }
  const chosen = line.result?.outcome?.optionId
  if (chosen === undefined) return []
  const requestId = request.get(line.id) ?? assert.fail(`unexpected request ${line.id}`)
  return dialogue.decide(requestId, chosen === "cancel" ? { decision: "deny", message: "no" } : { decision: "allow" })
}

export interface Played {
  readonly outputs: ReadonlyArray<Output>
  readonly standings: ReadonlyArray<Standing>
}

export const play = (scenario: string, params: AgentOpenParams = {}): Played => {
  const dialogue = live.dialogue(params, { workingDirectory: "/workspace", privateDirectory: "/private" })
  const outputs: Array<Output> = []
  const content: Array<Json> = []
  const standings: Array<Standing> = []
  /** Our number of a request, by that of the recording. */
  const numbers = new Map<unknown, unknown>()
  const request = new Map<unknown, string>()

  const perform = (input: ReadonlyArray<Output>, rpcId?: unknown) => {
    for (const output of input) {
      if (isAction(output) && output._tag === "Write") content.push(output.json)
      else outputs.push(output)
      if (isAction(output) && output._tag === "Asked") request.set(rpcId, output.ask.requestId)
    }
    if (standings.at(-1) !== dialogue.standing()) standings.push(dialogue.standing())
  }

  perform(dialogue.open())
  for (const line of linesOf(scenario)) {
    if ("host" in line) {
      if (content.length === 0) perform(actionOf(line.host, dialogue, request))
      const ours = content.shift() ?? assert.fail(`nothing was written for ${JSON.stringify(line.host)}`)
      assert.deepStrictEqual(plain(ours), plain(line.host))
      numbers.set(line.host.id, ours.id)
    } else {
      const { cli } = line
      const isAnswer = cli.method === undefined && numbers.has(cli.id)
      perform(dialogue.push(isAnswer ? { ...cli, id: numbers.get(cli.id) } : cli), cli.id)
    }
  }
  assert.deepStrictEqual(content, [], "more was written than was recorded")
  return { outputs, standings }
}
