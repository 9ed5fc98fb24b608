/**
 * Every recording of the CLI, through the same stages as a live run, gives what was reviewed by eye. A second, plain
 * reading of the wire lines checks the reviewer: text, tool calls and counts are taken once more.
 */
import { assert, describe, it } from "@effect/vitest"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { gemini } from "../../../src/cli/gemini/index.ts"
import { type Fixture, fixturesOf, named, runFixture } from "../fixtures.ts"

const fixtures = fixturesOf(gemini)
const run = (fixture: Fixture) => runFixture(gemini, fixture)

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const only = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))

const without = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

describe("recordings of gemini", () => {
  it("are there, for every situation", () => {
    assert.isAtLeast(fixtures.length, 70)
  })

  it.each(named(fixtures))("%s", (_, fixture) => {
    const { expectation } = fixture
    const { events, all, result, certainAfter } = run(fixture)
    assert.deepStrictEqual(plain(events), expectation.events)
    const { error: expectedError, ...facts } = expectation.result
    const measured = ["durationMs", "aborted", "stderrTail", "exit"]
    assert.deepStrictEqual(plain(without(measured, result)), facts)
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

interface Line {
  readonly type: string
  readonly role?: string
  readonly content?: string
  readonly tool_id?: string
  readonly tool_name?: string
  readonly parameters?: unknown
  readonly status?: string
  readonly stats?: { readonly input: number; readonly input_tokens: number; readonly output_tokens: number }
}

const linesOf = ({ bytes }: Fixture): ReadonlyArray<Line> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

const toolUse = (event: AgentEvent) => (event.type === "tool_use" ? [event] : [])
const toolResult = (event: AgentEvent) => (event.type === "tool_result" ? [event] : [])

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixtures))("%s", (_, fixture) => {
    const lines = linesOf(fixture)
    const { events, result } = run(fixture)
    const answer = lines.filter((line) => line.role === "assistant").map((line) => line.content)
    assert.strictEqual(result.text, answer.join(""))
    assert.deepStrictEqual(
      events.flatMap(toolUse).map(({ toolId, toolName, input }) => [toolId, toolName, input]),
      lines.flatMap((line) => (line.type === "tool_use" ? [[line.tool_id, line.tool_name, line.parameters]] : []))
    )
    assert.deepStrictEqual(
      events.flatMap(toolResult).map(({ toolId, isError }) => [toolId, isError]),
      lines.flatMap((line) => (line.type === "tool_result" ? [[line.tool_id, line.status === "error"]] : []))
    )
    const end = lines.find((line) => line.type === "result")
    assert.strictEqual(result.usage?.inputTokens, end?.stats?.input)
    assert.strictEqual(result.usage?.outputTokens, end?.stats?.output_tokens)
    const { inputTokens = 0, cacheReadTokens = 0 } = result.usage ?? {}
    assert.strictEqual(inputTokens + cacheReadTokens, end?.stats?.input_tokens ?? 0)
    if (result.outcome === "completed") assert.strictEqual(end?.status, "success")
    for (const absent of ["apiDurationMs", "numTurns", "totalCostUsd", "stopReason"]) assert.notProperty(result, absent)
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
