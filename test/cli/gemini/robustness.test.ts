/** The answer that was meant comes out once, and nothing hides or changes the rest of a run. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { gemini } from "../../../src/cli/gemini/index.ts"
import { runs } from "../../kit/runs.ts"
import { describeRobustness } from "../robustness.ts"
import { runLines } from "../transcript.ts"
import { anyRun, wireOf } from "./generate.ts"

describeRobustness({
  make: () => gemini,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines),
  strange: [
    { type: "hologram", payload: { deep: [1, { text: "not the answer" }] } },
    { type: "message" },
    { type: "message", role: "tool", content: "not the answer" },
    { type: "message", role: "assistant", content: [{ text: "not the answer" }] },
    { type: "tool_use", tool_name: "glob" },
    { type: "tool_result", status: "error" },
    { type: "result_of_something", status: "error" },
    { type: ["result"], status: "error" },
    { type: "init" },
    { type: 7 },
    {},
    "Loaded cached credentials.",
    '{"type":"result","status":"error"',
    "[1,2,3]",
    "null",
    "42"
  ],
  records: ["models"],
  lastLineEnds: true
})

describe("a made-up run", () => {
  it.prop(
    "gives the answer that was meant, once, and every call once, in order",
    [anyRun],
    ([plan]) => {
      const { lines, text, toolIds } = wireOf(plan)
      const { events, result } = runLines(gemini, lines)
      // Without the empty lines between texts.
      assert.strictEqual(result.text.replaceAll("\n", ""), text.replaceAll("\n", ""))
      assert.strictEqual(events.map((event) => (event.type === "text" ? event.text : "")).join(""), result.text)
      assert.strictEqual(result.outcome, "completed")
      const used = events.flatMap((event) => (event.type === "tool_use" ? [event.toolId] : []))
      const ended = events.flatMap((event) => (event.type === "tool_result" ? [event.toolId] : []))
      assert.deepStrictEqual(used, [...toolIds])
      assert.sameMembers(ended, [...toolIds])
    },
    runs(500)
  )

  it.prop("that breaks off has no success", [anyRun], ([plan]) => {
    const { lines } = wireOf(plan)
    const { result } = runLines(gemini, lines.slice(0, -1))
    assert.deepInclude(result, { outcome: "failed", reason: "no_result" })
  })
})
