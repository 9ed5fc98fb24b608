/**
 * Usage before the end: one event an answer, each the sum so far; the last equals the result's; a run or turn that is
 * cut off anywhere loses nothing already reported.
 */
import { assert, describe, it } from "@effect/vitest"
import { clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { codex } from "../../src/cli/codex/index.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentUsage } from "../../src/contract/AgentRunResult.ts"
import { Arbitraries } from "../../src/testingEffect.ts"
import { fixturesOf, named } from "./fixtures.ts"
import { linesOf, print, runTranscript } from "./transcript.ts"

const countNames = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const

type UsageEvent = Extract<AgentEvent, { type: "usage" }>

const usages = (events: ReadonlyArray<AgentEvent>) =>
  events.filter((event): event is UsageEvent => event.type === "usage")

/** Each reported count is kept, and does not decrease. */
const assertKept = (reported: AgentUsage | undefined, stored: AgentUsage | undefined) => {
  for (const name of countNames) assert.isAtLeast(stored?.[name] ?? -1, reported?.[name] ?? -1)
}

const assertSame = (
  events: ReadonlyArray<AgentEvent>,
  result: { readonly usage?: unknown; readonly totalCostUsd?: unknown }
) => {
  const { usage, totalCostUsd } = usages(events).at(-1) ?? {}
  assert.deepStrictEqual([usage, totalCostUsd], [result.usage, result.totalCostUsd])
}

/** The CLIs that report usage before the end. */
const reporting = ["claude", "opencode", "pi"] as const

describe.each(reporting.map((id) => [id, clis[id]] as const))("%s", (id, cli) => {
  const fixtures = fixturesOf(cli)

  it.each(named(fixtures))("recorded: %s", (_, { bytes, expectation: { exit, params, goesOn } }) => {
    const chunks = linesOf(bytes)
    const play = (lines: number) =>
      runTranscript(cli, { chunks: chunks.slice(0, lines), exit, ...(params && { params }), goesOn: goesOn === true })
    const { events, result } = play(chunks.length)
    if (result.outcome === "completed") assertSame(events, result)
    for (let lines = 0; lines <= chunks.length; lines += 1) {
      const cut = play(lines)
      assertKept(usages(cut.events).at(-1)?.usage, cut.result.usage)
    }
  })

  it.prop("made up: the last event is the result's", [Arbitraries.wire(id)], ([wire]) => {
    const lines = wire.lines.map((line): unknown => JSON.parse(line))
    const { events, result } = runTranscript(cli, { chunks: print(lines), exit: { code: 0 } })
    if (result.outcome === "completed") assertSame(events, result)
  })
})

const cutOff = (cli: Cli, lines: ReadonlyArray<unknown>) =>
  runTranscript(cli, { chunks: print(lines), exit: { signal: "SIGKILL" }, goesOn: true })

const stream = (event: object) => ({ type: "stream_event", event, api_message_id: "m1" })
const init = { type: "system", subtype: "init", session_id: "s", model: "opus" }
const started = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 3000, cache_creation_input_tokens: 20 }
const block = (id: string, text: string, parent: string | null = null) => ({
  type: "assistant",
  message: { id, model: "opus", usage: started, content: [{ type: "text", text }] },
  parent_tool_use_id: parent
})
const answer = [
  stream({ type: "message_start", message: { id: "m1", model: "opus", usage: started } }),
  stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one" } }),
  block("m1", "one"),
  block("m1", "two"),
  stream({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 42 } }),
  stream({ type: "message_stop" })
]
const called = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] } }

describe("a run of Claude Code that is cut off", () => {
  const whole = { inputTokens: 100, outputTokens: 42, cacheReadTokens: 3000, cacheWriteTokens: 20 }

  it("has the usage of its answers, and the stop reason of the last one", () => {
    const { events, result } = cutOff(clis.claude, [init, ...answer, called])
    assert.deepStrictEqual(usages(events), [{ type: "usage", usage: whole, model: "opus" }])
    assert.deepInclude(result, {
      outcome: "failed",
      reason: "killed",
      usage: whole,
      stopReason: "tool_use",
      numTurns: 2
    })
    assert.notProperty(result, "totalCostUsd")
  })

  it("in the middle of an answer has the counts of its start", () => {
    const { events, result } = cutOff(clis.claude, [init, ...answer.slice(0, 4)])
    assert.deepStrictEqual(usages(events), [])
    assert.deepStrictEqual(result.usage, { ...whole, outputTokens: 1 })
    assert.notProperty(result, "stopReason")
  })

  it("counts an answer of a sub-agent once, whatever its number of blocks", () => {
    const { events, result } = cutOff(clis.claude, [init, block("a", "x", "task"), block("a", "y", "task")])
    assert.lengthOf(usages(events), 1)
    assert.deepStrictEqual(result.usage, { ...whole, outputTokens: 1 })
  })

  it("behind a result counts the answers since then, and keeps the reported cost", () => {
    const counts = { inputTokens: 5, outputTokens: 6, costUSD: 0.5 }
    const result = { type: "result", is_error: false, model_usage_since_last_result: { opus: counts } }
    const second = answer.map((line) => JSON.parse(JSON.stringify(line).replaceAll("m1", "m2")))
    const reported = cutOff(clis.claude, [init, ...answer, result, init, ...second])
    const costs = usages(reported.events).map(({ totalCostUsd }) => totalCostUsd)
    assert.deepStrictEqual(costs, [undefined, 0.5, undefined])
    assert.deepInclude(reported.result, { totalCostUsd: 0.5, usage: { ...whole, inputTokens: 105, outputTokens: 48 } })
  })
})

describe("a run of OpenCode that is cut off", () => {
  it("has the sum of its steps", () => {
    const tokens = { input: 7, output: 3, reasoning: 1, cache: { read: 2, write: 0 } }
    const step = { type: "step_finish", sessionID: "s", part: { reason: "tool-calls", tokens, cost: 0.25 } }
    const { events, result } = cutOff(clis.opencode, [step, step])
    const usage = { inputTokens: 14, outputTokens: 8, cacheReadTokens: 4, cacheWriteTokens: 0 }
    assert.deepInclude(result, { usage, totalCostUsd: 0.5, numTurns: 2, stopReason: "tool_use" })
    assert.deepStrictEqual(usages(events).at(-1), { type: "usage", usage, totalCostUsd: 0.5 })
  })
})

it.each([["gemini", clis.gemini] as const, ["codex", codex] as const])(
  "%s tells usage with the end alone, and no event of it",
  (_, cli) => {
    for (const { bytes, expectation } of fixturesOf(cli)) {
      const { events } = runTranscript(cli, { chunks: linesOf(bytes), exit: expectation.exit })
      assert.deepStrictEqual(usages(events), [])
    }
  }
)
