/** The recordings; the answer, the tool calls and the usage are taken from the wire lines once more, in a plainer way. */
import { assert, describe, it } from "vitest"
import { codex } from "../../../src/cli/codex/index.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { describeRecordings, wireLines } from "../recordings.ts"

describeRecordings({ make: () => codex, atLeast: 50 })

interface Item {
  readonly id: string
  readonly type: string
  readonly text?: string
  readonly status?: string
}

interface Line {
  readonly type: string
  readonly thread_id?: string
  readonly item?: Item
  readonly usage?: { readonly input_tokens: number }
}

const toolTypes = ["command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"]

const items = (lines: ReadonlyArray<Line>, stage: string, types: ReadonlyArray<string>) =>
  lines.flatMap(({ type, item }) => (type === stage && item !== undefined && types.includes(item.type) ? [item] : []))

const toolIds = (events: ReadonlyArray<AgentEvent>, type: "tool_use" | "tool_result") =>
  events.flatMap((event) => (event.type === type && !event.toolId.startsWith("item_0.") ? [event.toolId] : []))

describe("a plain reading of the wire lines agrees", () => {
  it.each(named(fixturesOf(codex)))("%s", (name, fixture) => {
    const lines = wireLines<Line>(fixture)
    const { events, result } = runFixture(codex, fixture)
    const last = lines.at(-1)
    const messages = items(lines, "item.completed", ["agent_message"]).map(({ text }) => text)
    const isRepeated = name === "06-cut-behind"
    assert.strictEqual(result.text, (isRepeated ? [...new Set(messages)] : messages).join("\n\n"))

    const calls = items(lines, "item.started", [...toolTypes, "todo_list"]).map(({ id }) => id)
    assert.deepStrictEqual(toolIds(events, "tool_use"), calls)
    const closed = items(lines, "item.completed", toolTypes).length
    const isTurnOver = last?.type.startsWith("turn.") ?? false
    const isOpen = calls.length - items(lines, "item.started", ["todo_list"]).length - closed
    assert.strictEqual(toolIds(events, "tool_result").length, isTurnOver ? calls.length : calls.length - isOpen)

    assert.strictEqual(result.outcome === "completed", last?.type === "turn.completed")
    if (result.usage !== undefined) {
      const { inputTokens = 0, cacheReadTokens = 0 } = result.usage
      assert.strictEqual(inputTokens + cacheReadTokens, last?.usage?.input_tokens)
    }
    assert.strictEqual(result.sessionId, lines[0]?.thread_id)
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
