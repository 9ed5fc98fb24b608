/** The recordings; the tool calls, the tokens and the cost are taken from the wire lines once more, in a plainer way. */
import { assert, describe, it } from "vitest"
import { pi } from "../../../src/cli/pi/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { describeRecordings, wireLines } from "../recordings.ts"

describeRecordings({ make: () => pi, atLeast: 24 })

interface Line {
  readonly type: string
  readonly toolCallId?: string
  readonly message?: {
    readonly role: string
    readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
    readonly stopReason?: string
    readonly usage?: { readonly input: number; readonly output: number; readonly cost: { readonly total: number } }
  }
}

const sum = (counts: ReadonlyArray<number>) => counts.reduce((a, b) => a + b, 0)

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixturesOf(pi)))("%s", (_, fixture) => {
    const lines = wireLines<Line>(fixture)
    const { events, result } = runFixture(pi, fixture)
    const answers = lines.flatMap(({ type, message }) =>
      type === "message_end" && message?.role === "assistant" ? [message] : []
    )
    assert.strictEqual(result.numTurns ?? 0, answers.length)
    assert.closeTo(result.totalCostUsd ?? 0, sum(answers.map((each) => each.usage?.cost.total ?? 0)), 1e-12)
    assert.strictEqual(result.usage?.inputTokens ?? 0, sum(answers.map((each) => each.usage?.input ?? 0)))
    assert.strictEqual(result.usage?.outputTokens ?? 0, sum(answers.map((each) => each.usage?.output ?? 0)))
    const ids = (type: "tool_use" | "tool_result") =>
      events.flatMap((event) => (event.type === type ? [event.toolId] : []))
    const of = (type: string) => lines.flatMap((line) => (line.type === type ? [line.toolCallId] : []))
    assert.deepStrictEqual(ids("tool_use"), of("tool_execution_start"))
    assert.deepStrictEqual(ids("tool_result"), of("tool_execution_end"))
    const texts = answers
      .filter(({ stopReason }) => stopReason !== "error")
      .map(({ content }) => content.map(({ text = "" }) => text).join(""))
    const isCutOff = lines.at(-1)?.type === "message_update"
    if (!isCutOff) assert.strictEqual(result.text, texts.filter((text) => text !== "").join("\n\n"))
    const isFailed = answers.at(-1)?.stopReason === "error"
    if (answers.length > 0 && isFailed) assert.strictEqual(result.outcome, "failed")
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
