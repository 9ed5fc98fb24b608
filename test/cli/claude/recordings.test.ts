/** The recordings; the answer, the tool calls and the cost are taken from the wire lines once more, in a plainer way. */
import { assert, describe, it } from "vitest"
import { claude } from "../../../src/cli/claude/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { describeRecordings, wireLines } from "../recordings.ts"

describeRecordings({ make: () => claude, atLeast: 55 })

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

const blocks = (lines: ReadonlyArray<Line>, type: "assistant" | "user") =>
  lines
    .filter((line) => line.type === type && line.is_api_error_message !== true)
    .flatMap(({ message, parent_tool_use_id }) =>
      typeof message?.content === "string"
        ? []
        : (message?.content ?? []).map((block) => ({ block, parentToolId: parent_tool_use_id ?? undefined }))
    )

describe("a plain count of the wire lines agrees", () => {
  it.each(named(fixturesOf(claude)))("%s", (_, fixture) => {
    const lines = wireLines<Line>(fixture)
    const { events, result } = runFixture(claude, fixture)
    const ends = lines.filter((line) => line.type === "result")
    const answer = blocks(lines, "assistant")
      .filter(({ block, parentToolId }) => block.type === "text" && parentToolId === undefined)
      .map(({ block }) => block.text)
      .join("")
    // Without the empty lines between texts.
    const [all, whole] = [result.text, answer].map((text) => text.replaceAll("\n", ""))
    // A killed process has left deltas without their wholes; what is whole is the beginning of the text.
    if (ends.length > 0) assert.strictEqual(all, whole)
    else assert.isTrue(all?.startsWith(whole ?? ""))

    const calls = blocks(lines, "assistant").filter(({ block }) => block.type === "tool_use")
    assert.deepStrictEqual(
      events
        .filter((event) => event.type === "tool_use")
        .map(({ toolId, toolName, input, parentToolId }) => [toolId, toolName, input, parentToolId]),
      calls.map(({ block, parentToolId }) => [block.id ?? "", block.name ?? "", block.input, parentToolId])
    )
    const outcomes = blocks(lines, "user").filter(({ block }) => block.type === "tool_result")
    assert.deepStrictEqual(
      events
        .filter((event) => event.type === "tool_result")
        .map(({ toolId, isError, parentToolId }) => [toolId, isError, parentToolId]),
      outcomes.map(({ block, parentToolId }) => [block.tool_use_id ?? "", block.is_error === true, parentToolId])
    )
    const costs = ends.flatMap((line) => Object.values(line.model_usage_since_last_result ?? {}))
    const cost = costs.reduce((sum, { costUSD }) => sum + costUSD, 0)
    assert.closeTo(result.totalCostUsd ?? 0, cost, 1e-12)
    if (result.outcome === "completed") assert.isFalse(ends.at(-1)?.is_error)
    assert.isFalse(events.some((event) => event.type === "unknown"))
  })
})
