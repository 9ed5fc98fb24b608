/**
 * Every recording of the CLI, through the same stages as a live run, gives what its expectation says. A second, plain
 * reading of the wire lines checks the expectation, too: the answer, the tool calls and the cost are counted once more.
 */
import { assert, describe, it } from "@effect/vitest"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { type Fixture, fixturesOf, named, runFixture } from "../fixtures.ts"

const fixtures = fixturesOf(claude)
const run = (fixture: Fixture) => runFixture(claude, fixture)

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const only = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))

const without = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

describe("recordings of claude", () => {
  it("are there, for every situation", () => {
    assert.isAtLeast(fixtures.length, 55)
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
    assert.deepStrictEqual(
      error && plain(only(Object.keys(expectedError ?? error), without(["type"], error))),
      expectedError
    )
    assert.strictEqual(certainAfter === undefined ? null : certainAfter + 1, expectation.certainAfterLine)
    assert.deepStrictEqual(
      all.slice(events.length).map((event) => event.type),
      error === undefined ? ["done"] : ["error", "done"]
    )
  })
})

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly tool_use_id?: string
  readonly is_error?: boolean
}

interface Line {
  readonly type: string
  readonly is_api_error_message?: boolean
  readonly parent_tool_use_id?: string | null
  readonly message?: { readonly content: string | ReadonlyArray<Block> }
  readonly is_error?: boolean
  readonly model_usage_since_last_result?: Record<string, { readonly costUSD: number }>
}

const wireLines = ({ bytes }: Fixture): ReadonlyArray<Line> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const blocks = (lines: ReadonlyArray<Line>, type: "assistant" | "user") =>
  lines
    .filter((line) => line.type === type && line.is_api_error_message !== true)
    .flatMap(({ message, parent_tool_use_id }) =>
      typeof message?.content === "string"
        ? []
        : (message?.content ?? []).map((block) => ({ block, parentToolId: parent_tool_use_id ?? undefined }))
    )

const toolUse = (event: AgentEvent) => (event.type === "tool_use" ? [event] : [])
const toolResult = (event: AgentEvent) => (event.type === "tool_result" ? [event] : [])

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixtures))("%s", (_, fixture) => {
    const lines = wireLines(fixture)
    const { events, result } = run(fixture)
    const ends = lines.filter((line) => line.type === "result")
    const answer = blocks(lines, "assistant")
      .filter(({ block, parentToolId }) => block.type === "text" && parentToolId === undefined)
      .map(({ block }) => block.text)
      .join("")
    // A killed process has left deltas without their wholes; what is whole is the beginning of the text.
    if (ends.length > 0) assert.strictEqual(result.text, answer)
    else assert.isTrue(result.text.startsWith(answer))

    const calls = blocks(lines, "assistant").filter(({ block }) => block.type === "tool_use")
    assert.deepStrictEqual(
      events
        .flatMap(toolUse)
        .map(({ toolId, toolName, input, parentToolId }) => [toolId, toolName, input, parentToolId]),
      calls.map(({ block, parentToolId }) => [block.id ?? "", block.name ?? "", block.input, parentToolId])
    )
    const outcomes = blocks(lines, "user").filter(({ block }) => block.type === "tool_result")
    assert.deepStrictEqual(
      events.flatMap(toolResult).map(({ toolId, isError, parentToolId }) => [toolId, isError, parentToolId]),
      outcomes.map(({ block, parentToolId }) => [block.tool_use_id ?? "", block.is_error === true, parentToolId])
    )
    const costs = ends.flatMap((line) => Object.values(line.model_usage_since_last_result ?? {}))
    const cost = costs.reduce((sum, { costUSD }) => sum + costUSD, 0)
    assert.closeTo(result.totalCostUsd ?? 0, cost, 1e-12)
    if (result.outcome === "completed") assert.isFalse(ends.at(-1)?.is_error)
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
