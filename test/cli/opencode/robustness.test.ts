/** The answer that was meant comes out, and nothing hides or changes the rest of a run. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { opencode } from "../../../src/cli/opencode/index.ts"
import { kindsOf } from "../../kit/events.ts"
import { runs } from "../../kit/runs.ts"
import { describeRobustness } from "../robustness.ts"
import { runLines } from "../transcript.ts"
import { anyRun, wireOf } from "./generate.ts"
import { sessionId, tokens } from "./wireLines.ts"

describeRobustness({
  make: () => opencode,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines),
  strange: [
    { type: "hologram", part: { text: "not the answer" } },
    { type: "text" },
    { type: "text", part: { text: 7 } },
    { type: "tool_use", part: { tool: "bash", callID: "c", state: { status: "running" } } },
    { type: "tool_use", part: { callID: "c" } },
    { type: "step_finish" },
    { type: "step_finish", part: { tokens: {} } },
    { type: "step_start" },
    { type: "error" },
    { type: "error", error: 7 },
    { type: 7 },
    {},
    { sessionID: 7, type: "hologram", text: "not the answer" },
    "a foreign line",
    '{"type":"step_finish","part"',
    "[1,2,3]",
    "null",
    "42"
  ],
  records: [],
  lastLineEnds: false
})

describe("a made-up run", () => {
  it.prop(
    "gives the text that was meant, each tool once, and the sums of its steps",
    [anyRun],
    ([plan]) => {
      const wire = wireOf(plan)
      const { events, result } = runLines(opencode, wire.lines)
      assert.strictEqual(result.outcome, "completed")
      const isSilent = wire.text === "" && kindsOf(events).includes("warning")
      assert.include(isSilent ? ["bash failed: no", ""] : [wire.text], result.text)
      const thoughts = events.flatMap((event) => (event.type === "thinking" ? [event.text] : []))
      assert.deepStrictEqual(thoughts, wire.thinking)
      const ids = (type: "tool_use" | "tool_result") =>
        events.flatMap((event) => (event.type === type ? [event.toolId] : []))
      assert.deepStrictEqual(ids("tool_use"), wire.toolIds)
      assert.deepStrictEqual(ids("tool_result"), wire.toolIds)
      assert.strictEqual(result.numTurns, wire.steps)
      assert.strictEqual(result.usage?.outputTokens, wire.steps * (tokens.output + tokens.reasoning))
      assert.strictEqual(result.usage?.cacheReadTokens, wire.steps * tokens.cache.read)
      assert.closeTo(result.totalCostUsd ?? 0, wire.steps * 0.5, 1e-9)
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "session" ? [event.sessionId] : [])),
        [sessionId]
      )
    },
    runs(500)
  )
})

describe("an unknown line", () => {
  it("still names its session", () => {
    const line = { type: "hologram", sessionID: "ses_new" }
    const { events, result } = runLines(opencode, [line])
    assert.deepStrictEqual(events, [
      { type: "session", sessionId: "ses_new" },
      { type: "unknown", raw: line }
    ])
    assert.strictEqual(result.sessionId, "ses_new")
  })

  it("is a field of another type, which costs no more than itself", () => {
    const lines = [
      { type: "text", sessionID: 7, part: { text: "hi", messageID: 7, metadata: 7 } },
      { type: "step_finish", part: { reason: "stop", tokens: { input: "many", output: 3 }, cost: "free" } }
    ]
    const { result } = runLines(opencode, lines)
    assert.deepInclude(result, { outcome: "completed", text: "hi", usage: { outputTokens: 3 } })
    assert.isUndefined(result.totalCostUsd)
  })
})
