/** Lines that are neither answer nor end become short notices, with the fields that they have and no others. */
import { assert, describe, it } from "vitest"
import { claude } from "../../../../src/cli/claude/index.ts"
import { runLines } from "../../transcript.ts"

const eventsOf = (...lines: ReadonlyArray<unknown>) => runLines(claude, lines).events

const user = (content: unknown, more: object = {}) => ({ type: "user", message: { role: "user", content }, ...more })

describe("notices", () => {
  it("of a running tool are about the tool, and on the main thread", () => {
    const heartbeat = { tool_use_id: "t-heartbeat-0", parent_tool_use_id: "t", tool_name: "Bash" }
    const [event] = eventsOf({ type: "tool_progress", ...heartbeat, elapsed_time_seconds: 30 })
    assert.deepInclude(event, { kind: "progress", data: { toolId: "t", elapsedMs: 30_000 } })
    assert.notProperty(event, "parentToolId")
  })

  it("of the CLI's own messages to the model are notices, those of others are not", () => {
    const words = [{ type: "text", text: "go on" }]
    assert.deepStrictEqual(eventsOf(user(words, { isSynthetic: true })), [
      { type: "notice", kind: "info", message: "The CLI told the model: go on" }
    ])
    assert.deepStrictEqual(eventsOf(user(words), user(words, { isReplay: true }), user("go on")), [])
    assert.deepStrictEqual(eventsOf(user(words, { isSynthetic: true, parent_tool_use_id: "p" })), [])
  })

  it("leave out a time that no date can be", () => {
    const info = { status: "rejected", resetsAt: 1e300 }
    const [event] = eventsOf({ type: "rate_limit_event", rate_limit_info: info })
    assert.deepInclude(event, { kind: "rate_limit", message: "Rate limit: rejected" })
  })

  it("leave out what the line leaves out", () => {
    assert.deepStrictEqual(eventsOf({ type: "rate_limit_event" }), [
      { type: "notice", kind: "rate_limit", message: "Rate limit: unknown" }
    ])
    const [retry] = eventsOf({ type: "system", subtype: "api_retry" })
    assert.deepInclude(retry, { kind: "retry" })
    assert.notProperty(retry, "data")
  })

  it("signs of life are ignored", () => {
    const quiet = ["status", "thinking_tokens", "task_progress", "hook_started", "hook_response", "ui_invalidate"]
    const lines = quiet.map((subtype) => ({ type: "system", subtype }))
    assert.deepStrictEqual(eventsOf(...lines, { type: "keep_alive" }, { type: "command_lifecycle" }), [])
  })
})
