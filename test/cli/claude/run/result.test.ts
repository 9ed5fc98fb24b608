/** `result` lines: verdict, reason, and the counts of this run, not of the session. */
import { assert, describe, it } from "vitest"
import { claude } from "../../../../src/cli/claude/index.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"
import { message } from "../../../kit/wire.ts"
import { print, runTranscript } from "../../transcript.ts"

const run = (lines: ReadonlyArray<unknown>, params: Partial<AgentExecuteParams> = {}) =>
  runTranscript(claude, { chunks: print(lines), exit: { code: 0 }, params, goesOn: true })

const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: "s",
  result: "",
  ...more
})
const content = (text: string) => ({ type: "assistant", message: { id: text, content: [{ type: "text", text }] } })
const whole = (stop_reason: string) => ({
  type: "assistant",
  message: { id: "whole", model: "m", content: [{ type: "text", text: "x" }], stop_reason }
})
const init = { type: "system", subtype: "init", session_id: "s" }
const errorOf = (lines: ReadonlyArray<unknown>) => run(lines).all.find((event) => event.type === "error")

describe("the verdict", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<object>, "completed" | "failed"]> = [
    ["no error", [result()], "completed"],
    ["an error that says success", [result({ is_error: true })], "failed"],
    ["nothing said of an error", [result({ is_error: undefined })], "failed"],
    ["null said of an error", [result({ is_error: null })], "failed"],
    ["an error, then none", [result({ is_error: true }), result()], "completed"],
    ["none, then an error", [result(), result({ is_error: true })], "failed"]
  ]

  it.each(table)("%s", (_, lines, outcome) => {
    const reason = outcome === "failed" ? "agent_failed" : "completed"
    assert.deepInclude(run(lines).result, { outcome, reason })
  })

  it("names what stopped the run", () => {
    const turns = result({
      is_error: true,
      subtype: "error_max_turns",
      terminal_reason: "max_turns",
      result: undefined
    })
    assert.deepInclude(errorOf([{ ...turns, errors: ["Reached maximum number of turns (1)"] }]), {
      code: "error_max_turns",
      message: "Reached maximum number of turns (1)",
      category: "other",
      retryable: false
    })
  })

  it("puts all errors into the message, of whatever shape", () => {
    const failed = result({ is_error: true, subtype: "error_during_execution", errors: ["one", { message: "two" }] })
    assert.deepInclude(errorOf([failed]), { message: "one; two" })
  })

  it("never has an empty message", () => {
    for (const more of [
      {},
      { subtype: "error_during_execution", result: undefined },
      { subtype: null, result: null }
    ]) {
      assert.isAbove((errorOf([result({ is_error: true, ...more })])?.message ?? "").length, 0)
    }
  })

  it("an error of an earlier turn does not colour a later one", () => {
    const synthetic = {
      type: "assistant",
      message: { content: "x" },
      is_api_error_message: true,
      error: "billing_error"
    }
    const failed = result({ is_error: true, result: "boom" })
    assert.deepInclude(errorOf([synthetic, failed, failed]), { code: "unknown", category: "other" })
  })
})

describe("the answer", () => {
  it("is the text that came, not the result's last block", () => {
    assert.strictEqual(run([content("a"), content("b"), result({ result: "b" })]).result.text, "ab")
  })

  it("is the result's text where none came, once", () => {
    const { events, result: final } = run([init, result({ result: "only here" })])
    assert.strictEqual(final.text, "only here")
    assert.deepStrictEqual(events.at(-1), { type: "text", text: "only here" })
  })

  it("is not the words of an error", () => {
    assert.strictEqual(run([init, result({ is_error: true, result: "API Error" })]).result.text, "")
  })

  it("stays with a run that failed", () => {
    assert.strictEqual(run([content("so far"), result({ is_error: true })]).result.text, "so far")
  })

  it("may be structured", () => {
    const { result: final } = run([result({ structured_output: { a: [1] } })])
    assert.deepStrictEqual(final.structuredOutput, { a: [1] })
    assert.notProperty(run([result()]).result, "structuredOutput")
  })
})

const counts = (inputTokens: number, costUSD: number) => ({
  model_usage_since_last_result: { m: { inputTokens, outputTokens: 1, costUSD } }
})

describe("the counts", () => {
  it("are summed over the results, by model and in all", () => {
    const other = { model_usage_since_last_result: { n: { inputTokens: 4, outputTokens: 2, costUSD: 0.5 } } }
    const { result: final } = run([result(counts(10, 0.25)), result(counts(5, 0.125)), result(other)])
    assert.deepInclude(final, {
      usage: { inputTokens: 19, outputTokens: 4 },
      totalCostUsd: 0.875,
      modelUsage: {
        m: { inputTokens: 15, outputTokens: 2, costUsd: 0.375 },
        n: { inputTokens: 4, outputTokens: 2, costUsd: 0.5 }
      }
    })
  })

  it("of a resumed session leave out what is the session's", () => {
    const session = { total_cost_usd: 99, duration_api_ms: 12_345 }
    const resumed = run([result({ ...session, ...counts(10, 0.25) })], { sessionId: "s" }).result
    assert.strictEqual(resumed.totalCostUsd, 0.25)
    assert.notProperty(resumed, "apiDurationMs")
    const poor = run([result(session)], { sessionId: "s" }).result
    assert.notProperty(poor, "totalCostUsd")
  })

  it("of the session stand in if others are missing, and are not added to themselves", () => {
    const first = result({ total_cost_usd: 0.25, duration_api_ms: 10 })
    const second = result({ total_cost_usd: 0.375, duration_api_ms: 15 })
    assert.deepInclude(run([first]).result, { totalCostUsd: 0.25, apiDurationMs: 10 })
    assert.deepInclude(run([first, second]).result, { totalCostUsd: 0.375, apiDurationMs: 15 })
  })

  it("that the CLI does not report are absent", () => {
    const { result: final } = run([result({ usage: { input_tokens: 1, output_tokens: 2 } })])
    assert.deepStrictEqual(final.usage, { inputTokens: 1, outputTokens: 2 })
    for (const name of ["totalCostUsd", "apiDurationMs", "numTurns", "errorSubtype"]) {
      assert.notProperty(final, name)
    }
  })

  it("of turns are summed, the stop reason is the last turn's, or the CLI's own word for its end", () => {
    const { result: final } = run([
      result({ num_turns: 2, stop_reason: "end_turn" }),
      result({ num_turns: 1, stop_reason: "tool_use" })
    ])
    assert.deepInclude(final, { numTurns: 3, stopReason: "tool_use" })
    const subtype = "error_during_execution"
    const aborted = run([result({ stop_reason: "end_turn" }), result({ stop_reason: null, subtype })]).result
    assert.strictEqual(aborted.stopReason, subtype)
    const silent = run([result({ stop_reason: "end_turn" }), result({ stop_reason: null, subtype: null })]).result
    assert.notProperty(silent, "stopReason")
  })

  const without = { stop_reason: undefined }
  const stops: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, string]> = [
    ["the stream, where the result names none", [...message("x", "max_tokens"), result(without)], "max_tokens"],
    ["the stream, where both do", [...message("x", "max_tokens"), result({ stop_reason: "end_turn" })], "max_tokens"],
    ["its newest message", [...message("x", "tool_use"), ...message("y"), result(without)], "end_turn"],
    ["an answer that was not streamed", [whole("end_turn"), result(without)], "end_turn"],
    ["the result, after a stream that broke off", [...message("x").slice(0, 2), result({ stop_reason: "end" })], "end"],
    ["the result, in a turn without an answer", [...message("x"), result(), result({ stop_reason: "end" })], "end"],
    ["the subtype last", [result(without)], "success"],
    ["the subtype, in a turn without an answer", [...message("x", "max_tokens"), result(), result(without)], "success"]
  ]

  it.each(stops)("have the stop reason of %s", (_, lines, stopReason) => {
    assert.strictEqual(run([init, ...lines]).result.stopReason, stopReason)
  })
})

describe("denials", () => {
  const denial = (id: string) => ({ tool_name: "Bash", tool_use_id: id, tool_input: { command: id } })
  const announced = { type: "system", subtype: "permission_denied", tool_name: "Bash", tool_use_id: "a", message: "no" }

  it("come once, before the end, and are kept", () => {
    const { events, result: final } = run([announced, result({ permission_denials: [denial("a"), denial("b")] })])
    assert.deepStrictEqual(
      events.map((event) => (event.type === "notice" ? [event.kind, event.message, event.data?.["toolId"]] : event)),
      [
        ["permission_denied", "no", "a"],
        ["permission_denied", "Bash was denied", "b"]
      ]
    )
    assert.deepStrictEqual(final.permissionDenials, [
      { toolName: "Bash", toolId: "a", input: { command: "a" } },
      { toolName: "Bash", toolId: "b", input: { command: "b" } }
    ])
  })

  it("of all turns add up", () => {
    const turn = (id: string) => result({ permission_denials: [denial(id)] })
    assert.strictEqual(run([turn("a"), turn("b")]).result.permissionDenials?.length, 2)
  })
})

describe("the session's id", () => {
  it("is the one that was opened", () => {
    assert.strictEqual(run([init, result()]).result.sessionId, "s")
    assert.strictEqual(run([init]).result.sessionId, "s")
    assert.strictEqual(run([init, result({ is_error: true, session_id: "made up" })]).result.sessionId, "s")
  })

  it("is missing if no session was opened, whatever a failure reports", () => {
    assert.isUndefined(run([result({ is_error: true, session_id: "made up" })]).result.sessionId)
    assert.isUndefined(run([]).result.sessionId)
  })
})
