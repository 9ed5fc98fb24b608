/** The last lines → the outcome of the run, and its counts. */
import { assert, describe, it } from "vitest"
import { gemini } from "../../../../src/cli/gemini/index.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"
import { translate } from "../../../kit/translate.ts"
import { print, runTranscript } from "../../transcript.ts"
import { delta, init, type Json, outcome, result, use } from "../generate.ts"

const run = (lines: ReadonlyArray<Json>, exit: { readonly code: number } = { code: 0 }, params = {}) =>
  runTranscript(gemini, { chunks: print(lines), exit, params })

const failed = (message: string, severity = "error") => ({ type: "error", severity, message })

describe("the verdict", () => {
  it("is an error line's where the result has no reason", () => {
    const { all, result: end } = run([init, failed("Model stream ended."), result({ status: "error" })])
    assert.deepInclude(end, { outcome: "failed", reason: "agent_failed" })
    assert.deepStrictEqual(
      all.map((event) => (event.type === "error" ? event.message : event.type)),
      ["session", "Model stream ended.", "done"]
    )
  })

  it("is the result's own where it has a reason, and the line becomes a notice", () => {
    const lines = [init, failed("A line."), result({ status: "error", error: { type: "unknown", message: "Result." } })]
    const { events, all } = run(lines)
    assert.deepInclude(events.at(-1), { type: "notice", kind: "warning", message: "A line." })
    assert.deepInclude(all.at(-2), { type: "error", message: "Result." })
  })

  it("is success behind an error line when the result says so, and the line becomes a notice", () => {
    const { events, result: end } = run([init, failed("A line."), delta("ok"), result()])
    assert.strictEqual(end.outcome, "completed")
    assert.deepInclude(events.at(-1), { type: "notice", kind: "warning", message: "A line." })
  })

  it("is an error line's where nothing follows, whatever the exit code", () => {
    for (const code of [0, 144]) {
      const { result: end, all } = run([init, failed("first"), failed("careful", "warning")], { code })
      assert.deepInclude(end, { outcome: "failed", reason: "agent_failed" })
      assert.deepInclude(all.at(-2), { type: "error", message: "first" })
    }
  })

  it.each([["partial"], [undefined]])("does not count as success by any other word: %s", (status) => {
    const { result: end } = run([init, delta("ok"), result({ status: status ?? null })])
    assert.deepInclude(end, { outcome: "failed", text: "ok" })
  })

  it("is certain with the result and not before", () => {
    assert.strictEqual(run([init, delta("ok"), result()]).certainAfter, 2)
    assert.strictEqual(run([init, failed("x"), delta("ok")]).certainAfter, undefined)
    const stated = result({ status: "error", error: { type: "FatalInputError", message: "No." } })
    assert.strictEqual(run([init, stated], { code: 42 }).certainAfter, 1)
  })

  it("is not made of an error line while the process may go on", () => {
    const decoder = gemini.decoder({ prompt: "hello" })
    for (const line of [init, failed("x")]) translate(decoder, line)
    assert.isUndefined(decoder.verdict(undefined))
    assert.strictEqual(decoder.verdict({ code: 1 })?._tag, "Failure")
  })

  it("waits for the exit where only that has the API's status", () => {
    const error = { type: "unknown", message: "[API Error: Resource has been exhausted]" }
    const { certainAfter, all } = run([init, result({ status: "error", error })], { code: 173 })
    assert.isUndefined(certainAfter)
    assert.deepInclude(all.at(-2), { code: "http_429", category: "rate_limit", retryable: true })
  })

  const nothing = result({ stats: { input_tokens: 0, output_tokens: 0, cached: 0, input: 0, models: {} } })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Json>, Partial<AgentExecuteParams>, string]> = [
    ["no request and no word", [init, nothing], {}, "failed"],
    ["a slash command", [init, nothing], { slashCommands: true }, "completed"],
    ["a warning", [init, failed("Blocked", "warning"), nothing], {}, "completed"],
    ["a text", [init, delta("ok"), nothing], {}, "completed"],
    ["a call", [init, use("a"), outcome("a"), nothing], {}, "completed"],
    ["no counts", [init, result({ stats: null })], {}, "completed"]
  ]
  it.each(cases)("of a success that counts no model: %s", (_, lines, params, expected) => {
    const { result: end, all } = run(lines, { code: 0 }, params)
    assert.strictEqual(end.outcome, expected)
    if (expected === "failed") assert.deepInclude(all.at(-2), { code: "not_asked", category: "context_overflow" })
  })
})

describe("counts", () => {
  it("are the CLI's own where it reports them", () => {
    const stats = { input_tokens: 7, output_tokens: 2, cached: 3, input: 5, models: {} }
    const { usage } = run([init, delta("a"), result({ stats })]).result
    assert.deepStrictEqual(usage, { inputTokens: 5, outputTokens: 2, cacheReadTokens: 3 })
  })

  it("leave out missing ones", () => {
    assert.isUndefined(run([init, result({ stats: null })]).result.usage)
    const stats = { input_tokens: 7, output_tokens: 2, cached: 0, models: { x: { input_tokens: 5, cached: 2 } } }
    const { usage, modelUsage } = run([init, delta("a"), result({ stats })]).result
    assert.deepStrictEqual(usage, { inputTokens: 7, outputTokens: 2 })
    assert.deepStrictEqual(modelUsage, { x: { inputTokens: 3, cacheReadTokens: 2 } })
  })
})
