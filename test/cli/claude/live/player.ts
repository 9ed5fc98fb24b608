/** Plays the host of a recorded live session: the recorded stdout goes in, and the host acts at certain moments. */
import { readFileSync } from "node:fs"
import { assert } from "vitest"
import { makeDialogue } from "../../../../src/cli/claude/live/dialogue.ts"
import { type Action, type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { recordingUrl } from "../../../kit/recordings.ts"

export type Tag = Action["_tag"]
export type Tagged<T extends Tag> = Extract<Action, { _tag: T }>

/** Lines of JSON, whose shape is what the test is about. */
// biome-ignore lint/suspicious/noExplicitAny: recorded lines are looked at as they are
export type Json = any

/** The host acts at the next output that fits. */
export interface Moment {
  readonly at: (output: Output) => boolean
  readonly act: (dialogue: Dialogue, output: Json) => ReadonlyArray<Output> | undefined
}

export const when = <T extends Tag>(tag: T, act: (dialogue: Dialogue, action: Tagged<T>) => ReadonlyArray<Output>) => ({
  at: (output: Output) => isAction(output) && output._tag === tag,
  act: (dialogue: Dialogue, output: Json) => act(dialogue, output)
})

const linesOf = (scenario: string, file: "stdin" | "stdout"): ReadonlyArray<Json> =>
  readFileSync(recordingUrl("claude", `live/${scenario}/${file}.ndjson`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

export interface Played {
  readonly outputs: ReadonlyArray<Output>
  readonly written: ReadonlyArray<Json>
  /** The recorded stdin. */
  readonly recorded: ReadonlyArray<Json>
  readonly standing: string
  readonly standings: ReadonlyArray<string>
}

/**
 * The recorded stdout, as it answers our requests: where another host was recorded, our ids replace its own in the
 * answers, and its handshake may be missing.
 */
const stdout = (scenario: string, recorded: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const ids = recorded.filter(({ type }) => type === "control_request").map(({ request_id }) => request_id)
  const isGreeted = recorded[0]?.request?.subtype === "initialize"
  const ours = new Map(ids.map((id, index) => [id, `reins-${index + (isGreeted ? 1 : 2)}`]))
  const lines = linesOf(scenario, "stdout").map((line) => {
    const id = line.type === "control_response" ? ours.get(line.response.request_id) : undefined
    return id === undefined ? line : { ...line, response: { ...line.response, request_id: id } }
  })
  const greeting = { type: "control_response", response: { subtype: "success", request_id: "reins-1", response: {} } }
  return isGreeted ? lines : [greeting, ...lines]
}

export const play = (scenario: string, params: AgentOpenParams, moments: ReadonlyArray<Moment>): Played => {
  const recorded = linesOf(scenario, "stdin")
  const uuids = recorded.flatMap(({ type, uuid }) => (type === "user" ? [uuid] : []))
  const dialogue = makeDialogue(params, () => uuids.shift() ?? crypto.randomUUID())
  const outputs: Array<Output> = []
  const content: Array<Json> = []
  const standings: Array<string> = []
  let next = 0
  const perform = (input: ReadonlyArray<Output>) => {
    for (const output of input) {
      if (isAction(output) && output._tag === "Write") content.push(output.json)
      else outputs.push(output)
      const moment = moments[next]
      if (moment === undefined || !moment.at(output)) continue
      next++
      perform(moment.act(dialogue, output) ?? assert.fail("the dialogue refused the action"))
    }
  }
  perform(dialogue.open())
  for (const line of stdout(scenario, recorded)) {
    perform(dialogue.push(line))
    if (standings.at(-1) !== dialogue.standing()) standings.push(dialogue.standing())
  }
  assert.strictEqual(next, moments.length, "a moment did not come")
  return { outputs, written: content, recorded, standing: dialogue.standing(), standings }
}

export const actions = <T extends Tag>({ outputs }: Pick<Played, "outputs">, tag: T) =>
  outputs.filter((output): output is Tagged<T> => isAction(output) && output._tag === tag)

export const ofType = ({ outputs }: Pick<Played, "outputs">, type: string): ReadonlyArray<Json> =>
  outputs.filter((output) => !isAction(output) && output.type === type)
