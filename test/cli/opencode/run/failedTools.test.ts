/** A run of OpenCode without text: if its last tool failed, that error is the answer, and is marked. */
import { assert, describe, it } from "vitest"
import { opencode } from "../../../../src/cli/opencode/index.ts"
import { kindsOf, textOf } from "../../../kit/events.ts"
import { runLines } from "../../transcript.ts"
import { type Json, stepFinish, stepStart, text, tool } from "../wireLines.ts"

const failed = { status: "error", error: "File not found: /x\n" }
const done = { status: "completed", output: "ok" }
const step = (id: string, call: string, state: Json, name = "read") => [
  stepStart(id),
  tool(id, call, name, state),
  stepFinish(id, "tool-calls")
]
const silent = (id: string) => [stepStart(id), stepFinish(id, "stop")]

const answer = "read failed: File not found: /x"

const table: ReadonlyArray<readonly [string, ReadonlyArray<object>, string, ReadonlyArray<string>]> = [
  ["only a failed tool", [...step("a", "1", failed), ...silent("b")], answer, ["warning"]],
  [
    "a failed tool in the last step",
    [stepStart("a"), tool("a", "1", "read", failed), stepFinish("a", "stop")],
    answer,
    ["warning"]
  ],
  [
    "a failed tool, and then one that went well",
    [...step("a", "1", failed), ...step("b", "2", done), ...silent("c")],
    "",
    []
  ],
  [
    "a failed tool, and words",
    [...step("a", "1", failed), stepStart("b"), text("b", "Sorry."), stepFinish("b", "stop")],
    "Sorry.",
    []
  ],
  [
    "words, and then a failed tool",
    [stepStart("a"), text("a", "I look."), stepFinish("a", "tool-calls"), ...step("b", "1", failed), ...silent("c")],
    "I look.",
    []
  ],
  ["a failed tool without text", [...step("a", "1", { status: "error" }), ...silent("b")], "read failed", ["warning"]],
  [
    "a command that exits with 1",
    [...step("a", "1", { ...done, output: "no", metadata: { exit: 1 } }, "bash"), ...silent("b")],
    "bash failed: no",
    ["warning"]
  ],
  ["no tool at all", silent("a"), "", []]
]

describe("the answer of a run with", () => {
  it.each(table)("%s", (_, lines, expected, kinds) => {
    const { events, result } = runLines(opencode, lines)
    assert.deepInclude(result, { outcome: "completed", text: expected })
    assert.strictEqual(textOf(events), expected)
    assert.deepStrictEqual(kindsOf(events), kinds)
  })

  it("a failed tool is taken back where an answer comes after all", () => {
    const more = [stepStart("c"), text("c", "Here."), stepFinish("c", "stop")]
    const { events, result } = runLines(opencode, [...step("a", "1", failed), ...silent("b"), ...more])
    assert.strictEqual(result.text, "Here.")
    assert.deepStrictEqual(kindsOf(events), ["warning", "text_voided"])
  })

  it("a failed tool with a long error is bounded", () => {
    const { result } = runLines(opencode, [
      ...step("a", "1", { ...failed, error: "x".repeat(100_000) }),
      ...silent("b")
    ])
    assert.lengthOf(result.text, 4_000)
  })
})
