/** The answer that was meant comes out, and nothing hides or changes the rest of a run. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { pi } from "../../../src/cli/pi/index.ts"
import { runs } from "../../kit/runs.ts"
import { describeRobustness } from "../robustness.ts"
import { runLines } from "../transcript.ts"
import { anyRun, wireOf } from "./generate.ts"
import { messageEnd, sessionId, usage } from "./wireLines.ts"

describeRobustness({
  make: () => pi,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines),
  strange: [
    { type: "hologram", message: { role: "assistant", content: "not the answer" } },
    { type: "message_update" },
    { type: "message_update", assistantMessageEvent: { delta: "x" } },
    { type: "message_start" },
    { type: "message_end", message: { content: [] } },
    { type: "message_end", message: 7 },
    { type: "tool_execution_start", toolName: "bash" },
    { type: "tool_execution_end", toolCallId: 7, toolName: "bash" },
    { type: "session", id: 7 },
    { type: 7 },
    {},
    "a foreign line",
    '{"type":"message_end","message"',
    "[1,2,3]",
    "null",
    "42"
  ],
  records: [],
  lastLineEnds: false
})

/** Without empty lines: how many stand between two messages depends on their ends. */
const packed = (text: string) => text.replaceAll("\n", "")

describe("a made-up run", () => {
  it.prop(
    "gives the text that was meant, each tool once, and the sums of its messages",
    [anyRun],
    ([plan]) => {
      const wire = wireOf(plan)
      const { events, result } = runLines(pi, wire.lines)
      assert.strictEqual(result.outcome, "completed")
      assert.strictEqual(packed(result.text), packed(wire.texts.join("")))
      const thoughts = events.flatMap((event) => (event.type === "thinking" ? [event.text] : []))
      assert.strictEqual(thoughts.join(""), wire.thinking)
      const ids = (type: "tool_use" | "tool_result") =>
        events.flatMap((event) => (event.type === type ? [event.toolId] : []))
      assert.deepStrictEqual(ids("tool_use"), wire.toolIds)
      assert.sameMembers(ids("tool_result"), [...wire.toolIds])
      assert.strictEqual(result.numTurns, wire.messages)
      assert.strictEqual(result.usage?.outputTokens, wire.messages * usage.output)
      assert.strictEqual(result.usage?.cacheReadTokens, wire.messages * usage.cacheRead)
      assert.closeTo(result.totalCostUsd ?? 0, wire.messages * 0.5, 1e-9)
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "session" ? [event.sessionId] : [])),
        [sessionId]
      )
    },
    runs(500)
  )
})

describe("a field of another type", () => {
  it("costs no more than itself", () => {
    const counts = { input: "many", output: 3, cost: "free" }
    const { result } = runLines(pi, [messageEnd({ content: [{ type: "text", text: "hi" }, 7, null], usage: counts })])
    assert.deepInclude(result, { outcome: "completed", text: "hi", usage: { outputTokens: 3 } })
    assert.isUndefined(result.totalCostUsd)
  })
})
