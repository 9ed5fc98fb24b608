/** The answer that was meant comes out, and nothing hides or changes the rest of a run. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { codex } from "../../../src/cli/codex/index.ts"
import { runs } from "../../kit/runs.ts"
import { describeRobustness } from "../robustness.ts"
import { runLines } from "../transcript.ts"
import { anyRun, wireOf } from "./generate.ts"

describeRobustness({
  make: () => codex,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines),
  strange: [
    { type: "hologram", thread_id: "x", text: "not the answer" },
    { type: "thread.started" },
    { type: "thread.archived", thread_id: "x" },
    { type: "item.completed" },
    { type: "item.completed", item: null },
    { type: "item.completed", item: { id: "item_9", type: "hologram", text: "not the answer" } },
    { type: "item.completed", item: { type: "agent_message", text: "not the answer" } },
    { type: "item.started", item: { id: "item_9", type: "agent_message" } },
    { type: "item.deleted", item: { id: "item_0", type: "command_execution" } },
    { type: "turn.paused" },
    { type: 7 },
    {},
    { text: "not the answer" },
    "Run Codex non-interactively",
    '{"type":"turn.failed"',
    "[1,2,3]",
    "null",
    "42"
  ],
  records: ["agents_states"],
  lastLineEnds: false
})

describe("a made-up run", () => {
  it.prop(
    "gives the text it means, and every tool call with one end",
    [anyRun],
    ([plan]) => {
      const { lines, text, toolIds, openIds } = wireOf(plan)
      const { events, result } = runLines(codex, lines)
      assert.strictEqual(result.text, text)
      const ids = (type: "tool_use" | "tool_result") =>
        events.flatMap((event) => (event.type === type ? [event.toolId] : []))
      assert.deepStrictEqual(ids("tool_use"), toolIds)
      const closed = plan.end === "killed" ? toolIds.filter((id) => !openIds.includes(id)) : toolIds
      assert.deepStrictEqual(ids("tool_result").toSorted(), closed.toSorted())
      const outcome = plan.end === "completed" ? "completed" : "failed"
      assert.strictEqual(result.outcome, outcome)
      const retries = events.filter((event) => event.type === "notice" && event.kind === "retry").length
      const cuts = plan.answers.flatMap((answer) => answer.cuts).length
      const hiccups = plan.answers.flatMap(({ tools }) => tools).filter((tool) => tool === "error").length
      if (plan.end !== "killed") assert.strictEqual(retries, cuts + hiccups)
    },
    runs(500)
  )
})
