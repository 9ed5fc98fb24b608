/**
 * Every recording of the CLI, through the same stages as a live run, gives what was reviewed by eye. A second, plain
 * reading of the wire lines checks the reviewer: the answer, the tool calls and the usage are taken once more.
 */
import { assert, describe, it } from "@effect/vitest"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { makeCodex } from "../../../src/cli/codex/index.ts"
import { type Fixture, fixturesOf, named, runFixture } from "../fixtures.ts"

const fixtures = fixturesOf(makeCodex())
/** A value of its own, since one remembers the threads it has seen. */
const run = (fixture: Fixture) => runFixture(makeCodex(), fixture)

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const only = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))

const without = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

describe("recordings of codex", () => {
  it("are there, for every situation", () => {
    assert.isAtLeast(fixtures.length, 50)
  })

  it.each(named(fixtures))("%s", (_, fixture) => {
    const { expectation } = fixture
    const { events, all, result, certainAfter } = run(fixture)
    assert.deepStrictEqual(plain(events), expectation.events)
    const { error: expectedError, ...facts } = expectation.result
    const measured = ["durationMs", "aborted", "stderrTail", "exit"]
    assert.deepStrictEqual(plain(without(measured, result)), facts)
    assert.isFalse(result.aborted)
    assert.strictEqual(result.stderrTail, expectation.stderr)
    const error = all.find((event) => event.type === "error")
    assert.deepStrictEqual(error && plain(only(Object.keys(expectedError ?? error), error)), expectedError)
    assert.isUndefined(certainAfter)
    assert.isNull(expectation.certainAfterLine)
    assert.deepStrictEqual(
      all.slice(events.length).map((event) => event.type),
      error === undefined ? ["done"] : ["error", "done"]
    )
  })
})

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

const wireLines = ({ bytes }: Fixture): ReadonlyArray<Line> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const toolTypes = ["command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"]

const items = (lines: ReadonlyArray<Line>, stage: string, types: ReadonlyArray<string>) =>
  lines.flatMap(({ type, item }) => (type === stage && item !== undefined && types.includes(item.type) ? [item] : []))

const toolIds = (events: ReadonlyArray<AgentEvent>, type: "tool_use" | "tool_result") =>
  events.flatMap((event) => (event.type === type && !event.toolId.startsWith("item_0.") ? [event.toolId] : []))

describe("a plain reading of the wire lines agrees", () => {
  it.each(named(fixtures))("%s", (name, fixture) => {
    const lines = wireLines(fixture)
    const { events, result } = run(fixture)
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

    assert.strictEqual(result.outcome === "completed", last?.type === "turn.completed" && !name.includes("other"))
    if (result.usage !== undefined)
      assert.strictEqual(result.usage.inputTokens + (result.usage.cacheReadTokens ?? 0), last?.usage?.input_tokens)
    if (!name.includes("other")) assert.strictEqual(result.sessionId, lines[0]?.thread_id)
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
