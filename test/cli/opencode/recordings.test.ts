/** The recordings; the tool calls, the tokens and the cost are taken from the wire lines once more, in a plainer way. */
import { assert, describe, it } from "vitest"
import { opencode } from "../../../src/cli/opencode/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { describeRecordings, wireLines } from "../recordings.ts"

describeRecordings({ make: () => opencode, atLeast: 50 })

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

const sum = (counts: ReadonlyArray<number>) => counts.reduce((a, b) => a + b, 0)

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixturesOf(opencode)))("%s", (_, fixture) => {
    const lines = wireLines<Line>(fixture)
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
