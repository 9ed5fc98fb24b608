/** Settings of a call as parameters of a run, and the ends of runs in the words of the AI SDK: tables. */
import { APICallError, LoadAPIKeyError, UnsupportedFunctionalityError } from "ai"
import { assert, describe, it } from "vitest"
import { errorOf, type Failure } from "../../../src/api/aiSdk/failure.ts"
import { finishReasonOf, metadataOf, usageOf } from "../../../src/api/aiSdk/parts.ts"
import { planOf } from "../../../src/api/aiSdk/plan.ts"
import type { CallOptions } from "../../../src/api/aiSdk/spec.ts"
import type { AgentRunResult } from "../../../src/promise.ts"

const call = (more: Partial<CallOptions> = {}): CallOptions => ({
  prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  ...more
})
const withSystem = call({ prompt: [{ role: "system", content: "Be short." }, ...call().prompt] })

const planned = (cli: string, options: CallOptions, way?: "append" | "replace") => {
  const plan = planOf({ cli }, options, way)
  return "prompt" in plan ? plan : assert.fail(plan.message)
}
const featuresOf = (cli: string, options: CallOptions) =>
  planned(cli, options).warnings.map((warning) => (warning.type === "unsupported" ? warning.feature : warning.type))

describe("system messages", () => {
  it.each([
    ["claude", "append", { appendSystemPrompt: "Be short." }, "hi"],
    ["codex", "append", { appendSystemPrompt: "Be short." }, "hi"],
    ["opencode", "append", { appendSystemPrompt: "Be short." }, "hi"],
    ["gemini", "append", { appendSystemPrompt: "Be short." }, "hi"],
    ["acp", "append", {}, "Be short.\n\nhi"],
    ["claude", "replace", { systemPrompt: "Be short." }, "hi"],
    ["gemini", "replace", { systemPrompt: "Be short." }, "hi"],
    ["acp", "replace", {}, "Be short.\n\nhi"]
  ] as const)("of %s, %s", (cli, way, params, prompt) => {
    assert.deepInclude(planned(cli, withSystem, way), { params, prompt })
  })
  it("are in front of the prompt where Gemini CLI would not read them", () => {
    const plan = planOf({ cli: "gemini", defaults: { trustWorkspace: false } }, withSystem)
    assert.deepInclude(plan, { params: {}, prompt: "Be short.\n\nhi" })
  })
  it("come after those of the agent", () => {
    const plan = planOf({ cli: "claude", defaults: { appendSystemPrompt: "Be kind." } }, withSystem)
    assert.deepNestedInclude(plan, { "params.appendSystemPrompt": "Be kind.\n\nBe short." })
  })
})

describe("settings", () => {
  it.each([
    ["claude", "high", "high"],
    ["claude", "minimal", undefined],
    ["codex", "minimal", "minimal"],
    ["opencode", "minimal", "minimal"],
    ["gemini", "high", undefined],
    ["claude", "provider-default", undefined]
  ] as const)("reasoning of %s: %s", (cli, reasoning, effort) => {
    assert.strictEqual(planned(cli, call({ reasoning })).params.effort, effort)
    const isLost = effort === undefined && reasoning !== "provider-default"
    assert.deepStrictEqual(featuresOf(cli, call({ reasoning })), isLost ? ["reasoning"] : [])
  })
  it("of no CLI cause a warning, as do tools", () => {
    const tool = { type: "function" as const, name: "add", inputSchema: {} }
    assert.deepStrictEqual(featuresOf("claude", call({ topP: 1, maxOutputTokens: 1, tools: [tool] })), [
      "maxOutputTokens",
      "topP",
      "tools"
    ])
    assert.deepStrictEqual(featuresOf("claude", call({ tools: [] })), [])
  })
  it("request JSON by its schema, or in the prompt", () => {
    const schema = { type: "object" as const }
    assert.deepInclude(planned("claude", call({ responseFormat: { type: "json", schema } })), {
      isJson: true,
      prompt: "hi",
      turn: { outputSchema: schema }
    })
    const free = planned("claude", call({ responseFormat: { type: "json" } }))
    assert.deepStrictEqual([free.isJson, free.turn], [true, {}])
    assert.match(free.prompt, /^hi\n\nAnswer with one JSON value/)
  })
})

describe("providerOptions.reins", () => {
  const of = (reins: NonNullable<CallOptions["providerOptions"]>[string]) =>
    planOf({ cli: "claude" }, call({ providerOptions: { reins, other: { x: 1 } } }))
  it("resume, fork, conversation", () => {
    assert.deepNestedInclude(of({ resume: "s", fork: true }), { params: { sessionId: "s", forkSession: true } })
    assert.deepNestedInclude(of({ conversation: "c" }), { params: { conversation: "c" } })
  })
  it.each([
    [{ resume: 5 }, "resume is not a string"],
    [{ fork: "yes" }, "fork is not a boolean"],
    [{ sessionId: "s" }, "sessionId is not one of resume, fork, conversation"]
  ])("%j is refused", (input, problem) => {
    assert.deepInclude(of(input), { code: "invalid_params", message: `providerOptions.reins: ${problem}` })
  })
})

const result: AgentRunResult = {
  outcome: "completed",
  reason: "completed",
  text: "",
  sessionId: undefined,
  durationMs: 5,
  usage: undefined,
  aborted: false
}

describe("an end", () => {
  it.each([
    [{}, { unified: "stop", raw: undefined }],
    [{ stopReason: "end_turn" }, { unified: "stop", raw: "end_turn" }],
    [{ stopReason: "max_tokens" }, { unified: "length", raw: "max_tokens" }],
    [{ stopReason: "refusal" }, { unified: "content-filter", raw: "refusal" }],
    [{ stopReason: "__proto__" }, { unified: "stop", raw: "__proto__" }],
    [
      { outcome: "failed", reason: "exited" },
      { unified: "error", raw: "exited" }
    ],
    [
      { outcome: "failed", reason: "schema_not_met" },
      { unified: "other", raw: "schema_not_met" }
    ]
  ] as const)("%j is %j", (end, expected) => assert.deepStrictEqual(finishReasonOf({ ...result, ...end }), expected))

  it("counts cached tokens as input, and no unknown counts", () => {
    assert.deepStrictEqual(usageOf({ inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4 }), {
      inputTokens: { total: 321, noCache: 1, cacheRead: 20, cacheWrite: 300 },
      outputTokens: { total: 4, text: undefined, reasoning: undefined },
      raw: { inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4 }
    })
    assert.strictEqual(usageOf(undefined).inputTokens.total, undefined)
  })

  it("has its session and cost", () => {
    assert.deepStrictEqual(metadataOf("claude", { ...result, sessionId: "s", totalCostUsd: 0.5, numTurns: 2 }), {
      cli: "claude",
      durationMs: 5,
      sessionId: "s",
      costUsd: 0.5,
      numTurns: 2
    })
  })
})

describe("a failure", () => {
  const failure: Failure = { code: "529", category: "overloaded", message: "busy", retryable: true, help: "Wait." }
  it.each([
    [{}, false, true],
    [{}, true, false],
    [{ retryable: false }, false, false]
  ])("%j after output %s is retryable: %s", async (more, hadOutput, isRetryable) => {
    const error = await errorOf({ ...failure, ...more }, { cli: "claude", hadOutput, sessionId: "s" })
    if (!APICallError.isInstance(error)) return assert.fail(String(error))
    assert.strictEqual(error.isRetryable, isRetryable)
    assert.deepStrictEqual(error.data, { code: "529", category: "overloaded", help: "Wait.", sessionId: "s" })
    assert.deepStrictEqual(error.requestBodyValues, {})
  })
  it("has the time of the next attempt", async () => {
    const error = await errorOf({ ...failure, retryAfterMs: 1500 }, { cli: "claude", hadOutput: false })
    if (!APICallError.isInstance(error)) return assert.fail(String(error))
    assert.deepStrictEqual(error.responseHeaders, { "retry-after-ms": "1500" })
  })
  it("of signing in, or of an unsupported option, has a class of its own", async () => {
    const run = { cli: "claude", hadOutput: false }
    const auth = await errorOf({ ...failure, category: "auth" }, run)
    assert.isTrue(LoadAPIKeyError.isInstance(auth))
    assert.strictEqual(auth.message, "busy Wait.")
    for (const code of ["unsupported_option", "unsupported_part"])
      assert.isTrue(UnsupportedFunctionalityError.isInstance(await errorOf({ ...failure, code }, run)))
  })
})
