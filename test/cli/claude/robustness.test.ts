/** Nothing hides the rest of a run of Claude Code; that the answer comes out is in `answers.test.ts`. */
import { Arbitrary } from "effect"
import { claude } from "../../../src/cli/claude/index.ts"
import { describeRobustness } from "../robustness.ts"
import { anyRun, wireOf } from "./generate.ts"

describeRobustness({
  make: () => claude,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines),
  strange: [
    { type: "hologram", session_id: "x", payload: { deep: [1, { text: "not the answer" }] } },
    { type: "system", subtype: "brand_new", content: "?" },
    { type: "system" },
    { type: "assistant" },
    { type: "assistant", message: { content: [{ type: "hologram", text: "not the answer" }] } },
    { type: "user", message: { content: [{ type: "hologram" }] } },
    { type: "stream_event", event: { type: "hologram", delta: { type: "text_delta", text: "not the answer" } } },
    { type: "stream_event" },
    { type: 7 },
    {},
    { text: "not the answer" },
    { type: "result_of_something", is_error: true },
    "a foreign line",
    '{"type":"result","is_error":true',
    "[1,2,3]",
    "null",
    "42"
  ],
  records: ["model_usage_since_last_result"],
  lastLineEnds: true
})
