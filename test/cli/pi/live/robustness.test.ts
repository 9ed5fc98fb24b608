/** For any lines in any order, the dialogue of Pi never throws, answers each dialog once, and is at rest when Pi is. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import { makeDialogue } from "../../../../src/cli/pi/live/dialogue.ts"
import { runs } from "../../../kit/runs.ts"
import {
  aborted,
  agentEnd,
  agentStart,
  compactionEnd,
  compactionStart,
  failed,
  idle,
  type Json,
  retryEnd,
  retryStart,
  said
} from "./talk.ts"

const methods = ["select", "confirm", "input", "editor", "notify", "setStatus", "of_tomorrow"]
const lines = [
  agentStart,
  agentEnd,
  ...said("hi"),
  ...failed("half", "429"),
  ...aborted(),
  retryStart,
  retryEnd(true),
  retryEnd(false),
  compactionStart,
  compactionEnd(true),
  compactionEnd(false),
  { type: "tool_execution_start", toolCallId: "t", toolName: "bash", args: null },
  { type: "tool_execution_end", toolCallId: "t", toolName: "bash", result: null },
  { type: "extension_error" },
  { type: "response" }
]
const states = [idle, { ...idle, isStreaming: true }, { ...idle, isCompacting: true, pendingMessageCount: 3 }, null]

/** One thing that happens to a dialogue: `what` selects a line or a call. */
const Happening = Schema.Struct({ what: Schema.Natural, which: Schema.Natural, json: Schema.Json })
type Happening = typeof Happening.Type

const of = <A>(items: ReadonlyArray<A>, which: number) => items[which % items.length] as A // none is empty

/** The commands that have no answer yet, oldest first. */
type Open = Array<Json>

const answerTo = (open: Open, { which, json }: Happening, success: boolean) => {
  const [command] = open.splice(which % Math.max(1, open.length), 1)
  const data = command?.type === "get_state" ? of(states, which) : json
  return { type: "response", id: command?.id ?? "none", success, data }
}

const happenings: ReadonlyArray<
  (dialogue: Dialogue, input: Happening, open: Open) => ReadonlyArray<Output> | undefined
> = [
  (dialogue, { json }) => dialogue.push(json),
  (dialogue, { which }) => dialogue.push(of(lines, which)),
  (dialogue, { which, json }) =>
    dialogue.push({ ...of(lines, which), message: json, result: json, assistantMessageEvent: json }),
  (dialogue, { which, json }) =>
    dialogue.push({ type: "extension_ui_request", id: `d${which % 4}`, method: of(methods, which), title: json }),
  (dialogue, input, open) => dialogue.push(answerTo(open, input, true)),
  (dialogue, input, open) => dialogue.push(answerTo(open, input, false)),
  (dialogue, { which }) => (dialogue.standing() === "resting" ? dialogue.turn(of(["go", "", "/x"], which)) : []),
  (dialogue, { which }) => dialogue.steer(of(["more", ""], which)),
  (dialogue) => dialogue.interrupt(),
  (dialogue, { which }) => dialogue.answer(`d${which % 4}`, of([undefined, {}, { "?": ["a"] }], which)),
  (dialogue) => dialogue.decide("d1", { decision: "allow" }),
  (dialogue) => dialogue.change("c", { _tag: "Model", model: "m" })
]

const written = (outputs: ReadonlyArray<Output>): ReadonlyArray<Json> =>
  outputs.flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json] : []))

describe("any lines and calls", () => {
  it.prop(
    "keep the dialogue whole",
    [Arbitrary.schema(Schema.Array(Happening))],
    ([all]) => {
      const dialogue = makeDialogue({})
      const open: Open = [...written(dialogue.open())]
      /** Dialogs that wait, by id: the same id may be asked again. */
      const asked = new Set<string>()
      const withdrawn = new Set<string>()
      dialogue.push({ type: "response", id: open.shift()?.id, success: true, data: idle })
      for (const input of all) {
        const outputs = of(happenings, input.what)(dialogue, input, open) ?? []
        JSON.stringify(outputs)
        for (const output of outputs) {
          if (!isAction(output)) continue
          assert.notStrictEqual(output._tag, "Opened", "it was opened before")
          if (output._tag === "Questioned") asked.add(output.requestId)
          if (output._tag === "Withdrawn")
            assert.isTrue(asked.delete(output.requestId) || withdrawn.has(output.requestId))
        }
        const lines = written(outputs)
        for (const { type, id } of lines) if (type === "extension_ui_response" && asked.delete(id)) withdrawn.add(id)
        open.push(...lines.filter(({ type }) => type !== "extension_ui_response"))
        const count = (type: string) => open.filter((command) => command.type === type).length
        assert.isAtMost(count("get_state"), 1)
        assert.isAtMost(count("abort"), 1)
        assert.include(["working", "resting"], dialogue.standing())
      }
      const hear = (line: unknown) =>
        open.push(...written(dialogue.push(line)).filter(({ type }) => type !== "extension_ui_response"))
      for (const line of [agentStart, compactionEnd(false), retryEnd(false), agentEnd]) hear(line)
      for (let times = 0; open.length > 0; times += 1) {
        assert.isBelow(times, 20, "it asks and asks")
        hear({ type: "response", id: open.shift()?.id, success: true, data: idle })
      }
      assert.strictEqual(dialogue.standing(), "resting", "Pi rests")
    },
    runs(2_000)
  )
})
