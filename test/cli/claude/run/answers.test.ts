/** Properties of every run that Claude Code could print: the planned answer comes out, once. */
import { assert, describe, it } from "@effect/vitest"
import { claude } from "../../../../src/cli/claude/index.ts"
import type { AgentEvent } from "../../../../src/contract/AgentEvent.ts"
import { runs } from "../../../kit/runs.ts"
import { print, runTranscript } from "../../transcript.ts"
import { anyRun, wireOf } from "../generate.ts"

const left = { code: 0 }
const run = (lines: ReadonlyArray<unknown>) => runTranscript(claude, { chunks: print(lines), exit: left })

/** Main-thread text as a consumer puts it together who follows the rules of the event table. */
const joined = (events: ReadonlyArray<AgentEvent>) =>
  events.reduce((text, event) => {
    if (event.type === "text" && event.parentToolId === undefined) return text + event.text
    if (event.type !== "notice" || event.kind !== "text_voided") return text
    const characters = Number(event.data?.["characters"])
    assert.isAtLeast(characters, 1)
    assert.isAtMost(characters, text.length)
    return text.slice(0, text.length - characters)
  }, "")

describe("a made-up run", () => {
  it.prop(
    "gives the answer that was meant and every tool call, once and in order, and withdraws only what was abandoned",
    [anyRun],
    ([plan]) => {
      const wire = wireOf(plan)
      const { events, result } = run(wire.lines)
      assert.strictEqual(joined(events), result.text)
      // Without the empty lines between texts.
      assert.strictEqual(result.text.replaceAll("\n", ""), wire.text.replaceAll("\n", ""))
      assert.strictEqual(result.outcome, "completed")
      const toolIds = events.flatMap((event) =>
        event.type === "tool_use" && event.parentToolId === undefined ? [event.toolId] : []
      )
      assert.deepStrictEqual(toolIds, wire.toolIds)
      for (const event of events) {
        if (event.type === "text" || event.type === "thinking") assert.notStrictEqual(event.text, "")
        if (!wire.hasCuts) assert.isFalse(event.type === "notice" && event.kind === "text_voided")
      }
    },
    runs(500)
  )

  it.prop("gives its thinking once, where no stream was abandoned", [anyRun], ([plan]) => {
    const turns = plan.turns.map((turn) => ({
      ...turn,
      messages: turn.messages.map((message) => ({ ...message, cuts: [] }))
    }))
    const [first, ...rest] = turns
    const wire = wireOf({ turns: first === undefined ? plan.turns : [first, ...rest] })
    const thoughts = run(wire.lines).events.filter(
      (event) => event.type === "thinking" && event.parentToolId === undefined
    )
    assert.strictEqual(thoughts.map((event) => (event.type === "thinking" ? event.text : "")).join(""), wire.thinking)
  })
})
