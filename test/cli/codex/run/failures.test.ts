/** Messages of the real CLI (0.169.0) → code and category. */
import { assert, describe, it } from "vitest"
import { readAll } from "../../../../src/agents/engine/pipeline.ts"
import { codex } from "../../../../src/cli/codex/index.ts"
import { turnFailure } from "../../../../src/cli/codex/live/failures.ts"
import { failureOf } from "../../../../src/cli/codex/run/failures.ts"

const url = "url: http://127.0.0.1:40100/v1/responses, request id: req_0429"
const api = (error: Record<string, unknown>) => JSON.stringify({ error })

const table: ReadonlyArray<readonly [string, string, string, boolean]> = [
  [`unexpected status 401 Unauthorized: Incorrect API key provided: x., ${url}`, "http_401", "auth", false],
  [`unexpected status 402 Payment Required: pay, ${url}`, "http_402", "billing", false],
  [`unexpected status 403 Forbidden: no, ${url}`, "http_403", "permission", false],
  [`unexpected status 404 Not Found: what, ${url}`, "http_404", "invalid_request", false],
  [`unexpected status 413 Payload Too Large: big, ${url}`, "http_413", "invalid_request", false],
  [`unexpected status 502 Bad Gateway: <html></html>, ${url}`, "http_502", "overloaded", true],
  [`unexpected status 529 <unknown status code>: x, ${url}`, "http_529", "overloaded", true],
  ["exceeded retry limit, last status: 429 Too Many Requests, request id: req_0001", "http_429", "rate_limit", true],
  ["Missing environment variable: `CODEX_API_KEY`.", "missing_credentials", "auth", false],
  ["You’ve hit your usage limit. Try again later.", "usage_limit_reached", "rate_limit", true],
  [
    "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
    "usage_not_included",
    "billing",
    false
  ],
  ["Quota exceeded. Check your plan and billing details.", "insufficient_quota", "billing", false],
  [
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    "context_length_exceeded",
    "context_overflow",
    false
  ],
  ["rate limit exceeded: slow down", "rate_limit", "rate_limit", true],
  ["We’re currently experiencing high demand, which may cause temporary errors.", "server_error", "overloaded", true],
  ["Selected model is at capacity. Please try a different model.", "overloaded", "overloaded", true],
  ["Connection failed: error sending request", "connection_failed", "network", true],
  ["stream disconnected before completion: idle timeout waiting for SSE", "stream_disconnected", "network", true],
  ["stream disconnected before completion: 401 apples", "stream_disconnected", "network", true],
  ["The model `x` does not exist or you do not have access to it.", "model_not_found", "invalid_request", false],
  // Message of 0.163.0, behind the status.
  [
    `unexpected status 404 Not Found: The model \`x\` does not exist or you do not have access to it., ${url}`,
    "model_not_found",
    "invalid_request",
    false
  ],
  ["Incomplete response returned, reason: max_output_tokens", "max_output_tokens", "other", false],
  ["something new", "turn_failed", "other", false],
  ["", "turn_failed", "other", false]
]

it("a fork that Codex refuses as a whole says which version it needs", () => {
  const end = (params: object, code: number) => codex.decoder({ prompt: "go", ...params }).verdict({ code })
  const fork = { sessionId: "11111111-1111-4111-8111-111111111111", forkSession: true }
  const refused = end(fork, 2)
  assert.include(JSON.stringify(refused), "forkSession needs Codex 0.148.0 or newer")
  assert.isUndefined(end(fork, 1))
  assert.isUndefined(end({ sessionId: fork.sessionId }, 2))
})

describe("a failed turn", () => {
  it.each(table)("%s", (message, code, category, retryable) => {
    const reason = failureOf(message)
    assert.deepStrictEqual([reason.code, reason.category, reason.retryable], [code, category, retryable])
    assert.strictEqual(reason.detail, message)
  })

  it.each([
    [{ message: "No.", type: "invalid_request_error", code: "bad_param" }, "bad_param", "invalid_request"],
    [{ message: "No.", type: "invalid_request_error", code: null }, "invalid_request_error", "invalid_request"],
    [{ message: "No.", code: "context_length_exceeded" }, "context_length_exceeded", "context_overflow"],
    [{ message: "No." }, "http_400", "invalid_request"]
  ])("with the API's own JSON: %j", (error, code, category) => {
    const reason = failureOf(api(error))
    assert.deepStrictEqual([reason.code, reason.category, reason.detail], [code, category, "No."])
  })

  it.each(["{broken", '{"other":1}', '{"error":null}'])("with JSON that is not an error of the API: %s", (message) => {
    assert.strictEqual(failureOf(message).detail, message)
  })
})

describe("the end of a limit", () => {
  const iso = (text: string) => new Date(text).toISOString()
  const usage = "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro)"

  it.each([
    ["or try again later.", {}],
    ["or try again at 9:12 PM.", { retryAt: "21:12" }],
    ["or try again at 12:05 AM.", { retryAt: "00:05" }],
    ["or try again at Nov 21st, 2026 12:12 PM.", { retryAt: iso("2026-11-21T12:12") }]
  ])("in the message: %s", (words, expected) => {
    const { retryAt, retryAfterMs } = failureOf(`${usage} ${words}`)
    assert.deepStrictEqual([retryAt, retryAfterMs], ["retryAt" in expected ? expected.retryAt : undefined, undefined])
  })

  const failed = (error: object) => {
    const decoder = codex.decoder({ prompt: "go" })
    for (const line of [{ type: "turn.started" }, { type: "turn.failed", error: { message: usage, ...error } }]) {
      readAll(decoder.stages, [new TextEncoder().encode(`${JSON.stringify(line)}\n`)])
    }
    const verdict = decoder.verdict({ code: 1 })
    return verdict?._tag === "Failure" && verdict.reason._tag === "AgentFailed" ? verdict.reason : undefined
  }

  it.each([
    [{ resets_in_seconds: 3600 }, 3_600_000, undefined],
    [{ resets_at: 1_795_165_935 }, undefined, "2026-11-20T09:12:15.000Z"],
    [{ resets_in_seconds: null, resets_at: 1e300 }, undefined, undefined],
    [{ resets_in_seconds: "soon" }, undefined, undefined],
    [{ resets_in_seconds: 1e306 }, undefined, undefined],
    [{}, undefined, undefined]
  ])("in turn.failed: %j", (error, retryAfterMs, retryAt) => {
    const reason = failed(error)
    assert.deepStrictEqual([reason?.retryAfterMs, reason?.retryAt], [retryAfterMs, retryAt])
    assert.strictEqual(reason?.category, "rate_limit")
  })

  it.each([
    [{ codexErrorInfo: "usageLimitExceeded", resetsInSeconds: 60 }, 60_000],
    [{ codexErrorInfo: { usageLimitExceeded: { resets_in_seconds: 60 } } }, 60_000],
    [{ codexErrorInfo: { rateLimitExceeded: { httpStatusCode: 429 } }, resetsInSeconds: 60 }, 60_000],
    [{ codexErrorInfo: "usageLimitExceeded" }, undefined]
  ])("in a turn of app-server: %j", (facts, retryAfterMs) => {
    const reason = turnFailure({
      message: "No.",
      additionalDetails: null,
      resetsInSeconds: null,
      resetsAt: null,
      ...facts
    })
    assert.deepStrictEqual([reason.category, reason.retryAfterMs], ["rate_limit", retryAfterMs])
  })
})
