/** The recordings; the text, the tool calls and the counts are taken from the wire lines once more, in a plainer way. */
import { assert, describe, it } from "vitest"
import { gemini } from "../../../src/cli/gemini/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { describeRecordings, wireLines } from "../recordings.ts"

describeRecordings({ make: () => gemini, atLeast: 70 })

interface Line {
  readonly type: string
  readonly role?: string
  readonly content?: string
  readonly tool_id?: string
  readonly tool_name?: string
  readonly parameters?: unknown
  readonly status?: string
  readonly stats?: { readonly input: number; readonly input_tokens: number; readonly total_tokens: number }
}

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixturesOf(gemini)))("%s", (_, fixture) => {
    const lines = wireLines<Line>(fixture)
    const { events, result } = runFixture(gemini, fixture)
    const answer = lines.filter((line) => line.role === "assistant").map((line) => line.content)
    // Without the empty lines between texts.
    assert.strictEqual(result.text.replaceAll("\n", ""), answer.join("").replaceAll("\n", ""))
    assert.deepStrictEqual(
      events
        .filter((event) => event.type === "tool_use")
        .map(({ toolId, toolName, input }) => [toolId, toolName, input]),
      lines.flatMap((line) => (line.type === "tool_use" ? [[line.tool_id, line.tool_name, line.parameters]] : []))
    )
    assert.deepStrictEqual(
      events.filter((event) => event.type === "tool_result").map(({ toolId, isError }) => [toolId, isError]),
      lines.flatMap((line) => (line.type === "tool_result" ? [[line.tool_id, line.status === "error"]] : []))
    )
    const end = lines.find((line) => line.type === "result")
    assert.strictEqual(result.usage?.inputTokens, end?.stats?.input)
    // The answers and the thoughts.
    const output = end?.stats && end.stats.total_tokens - end.stats.input_tokens
    assert.strictEqual(result.usage?.outputTokens, output)
    const { inputTokens = 0, cacheReadTokens = 0 } = result.usage ?? {}
    assert.strictEqual(inputTokens + cacheReadTokens, end?.stats?.input_tokens ?? 0)
    if (result.outcome === "completed") assert.strictEqual(end?.status, "success")
    for (const absent of ["apiDurationMs", "numTurns", "totalCostUsd", "stopReason"]) assert.notProperty(result, absent)
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
