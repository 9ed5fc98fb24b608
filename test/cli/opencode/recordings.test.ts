/**
 * Every recording of the CLI, through the same stages as a live run, gives what was reviewed by eye. A second, plain
 * reading of the wire lines checks the reviewer: the tool calls, the tokens and the cost are counted once more.
 */
import { assert, describe, it } from "@effect/vitest"
import { opencode } from "../../../src/cli/opencode/index.ts"
import { type Fixture, fixturesOf, named, runFixture } from "../fixtures.ts"

const fixtures = fixturesOf(opencode)

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const only = (names: ReadonlyArray<string>, value: object) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))

const measured = ["durationMs", "aborted", "stderrTail", "exit"]

describe("recordings of opencode", () => {
  it("are there, for every situation", () => {
    assert.isAtLeast(fixtures.length, 50)
  })

  it.each(named(fixtures))("%s", (_, fixture) => {
    const { expectation } = fixture
    const { events, all, result, certainAfter } = runFixture(opencode, fixture)
    assert.deepStrictEqual(plain(events), expectation.events)
    const { error: expectedError, ...facts } = expectation.result
    const told = Object.keys(result).filter((name) => !measured.includes(name))
    assert.deepStrictEqual(plain(only(told, result)), facts)
    assert.strictEqual(result.stderrTail, expectation.stderr)
    const error = all.find((event) => event.type === "error")
    assert.deepStrictEqual(error && plain(only(Object.keys(expectedError ?? error), error)), expectedError)
    assert.isUndefined(certainAfter, "only the exit tells")
    assert.isNull(expectation.certainAfterLine)
    assert.deepStrictEqual(
      all.slice(events.length).map((event) => event.type),
      error === undefined ? ["done"] : ["error", "done"]
    )
  })
})

interface Line {
  readonly type: string
  readonly part: {
    readonly text?: string
    readonly synthetic?: boolean
    readonly callID?: string
    readonly cost?: number
    readonly tokens?: { readonly input: number; readonly output: number; readonly reasoning: number }
  }
}

const wireLines = ({ bytes }: Fixture): ReadonlyArray<Line> =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const sum = (counts: ReadonlyArray<number>) => counts.reduce((a, b) => a + b, 0)

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixtures))("%s", (_, fixture) => {
    const lines = wireLines(fixture)
    const { events, result } = runFixture(opencode, fixture)
    const of = (type: string) => lines.filter((line) => line.type === type).map(({ part }) => part)
    const steps = of("step_finish")
    assert.strictEqual(result.numTurns ?? 0, steps.length)
    assert.closeTo(result.totalCostUsd ?? 0, sum(steps.map(({ cost = 0 }) => cost)), 1e-12)
    assert.strictEqual(result.usage?.inputTokens ?? 0, sum(steps.map(({ tokens }) => tokens?.input ?? 0)))
    const output = steps.map(({ tokens }) => (tokens?.output ?? 0) + (tokens?.reasoning ?? 0))
    assert.strictEqual(result.usage?.outputTokens ?? 0, sum(output))
    const calls = of("tool_use").map(({ callID }) => callID)
    const ids = (type: "tool_use" | "tool_result") =>
      events.flatMap((event) => (event.type === type ? [event.toolId] : []))
    assert.deepStrictEqual(ids("tool_use"), calls)
    assert.deepStrictEqual(ids("tool_result"), calls)
    const isWithdrawn = events.some((event) => event.type === "notice" && event.kind === "text_voided")
    const texts = of("text").filter(({ synthetic, text }) => synthetic !== true && text !== "")
    if (!isWithdrawn) assert.strictEqual(result.text, texts.map(({ text }) => text).join("\n\n"))
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
