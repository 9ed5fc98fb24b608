/** The words of a failed message → code and category. */
import { assert, describe, it } from "vitest"
import { failureOf } from "../../../../src/cli/pi/run/failures.ts"
import type { ErrorCategory } from "../../../../src/contract/ErrorCategory.ts"

const body = (type: string, message: string) => JSON.stringify({ type: "error", error: { type, message } })
const google = (code: number, status: string, message: string) => JSON.stringify({ error: { code, status, message } })

describe("the error of a message", () => {
  const table: ReadonlyArray<readonly [string | null | undefined, string, ErrorCategory]> = [
    [`401 ${body("authentication_error", "invalid x-api-key")}`, "authentication_error", "auth"],
    [`403 ${body("permission_error", "no")}`, "permission_error", "permission"],
    [`429 ${body("rate_limit_error", "slow down")}`, "rate_limit_error", "rate_limit"],
    [`529 ${body("overloaded_error", "Overloaded")}`, "overloaded_error", "overloaded"],
    [body("overloaded_error", "Overloaded"), "overloaded_error", "overloaded"],
    [`500 ${body("api_error", "oops")}`, "api_error", "overloaded"],
    [`400 ${body("invalid_request_error", "messages: wrong")}`, "invalid_request_error", "invalid_request"],
    [`404 ${body("not_found_error", "model: x")}`, "not_found_error", "invalid_request"],
    ["terminated", "unknown", "network"],
    ["Connection error.", "unknown", "network"],
    ["Request timed out.", "unknown", "network"],
    ["fetch failed", "unknown", "network"],
    // A status of 400 and a type that say little: the words decide.
    [
      `400 ${body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")}`,
      "invalid_request_error",
      "context_overflow"
    ],
    [`413 ${body("request_too_large", "Request exceeds the maximum size")}`, "request_too_large", "context_overflow"],
    ["400 Your input exceeds the context window of this model", "http_400", "context_overflow"],
    ["400 This model's maximum context length is 128000 tokens.", "http_400", "context_overflow"],
    [
      google(400, "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed"),
      "INVALID_ARGUMENT",
      "context_overflow"
    ],
    [
      `400 ${body("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")}`,
      "invalid_request_error",
      "billing"
    ],
    ["429 You exceeded your current quota, please check your plan and billing details.", "http_429", "billing"],
    ["429 Rate limit reached for gpt-5 in organization", "http_429", "rate_limit"],
    [google(401, "UNAUTHENTICATED", "API key not valid"), "UNAUTHENTICATED", "auth"],
    [google(403, "NEW_WORD", "no"), "NEW_WORD", "permission"],
    // Foreign forms.
    ["500 <html>", "http_500", "overloaded"],
    ["429", "http_429", "rate_limit"],
    ["something went wrong", "unknown", "other"],
    ['{"error":"text"}', "unknown", "other"],
    ['400 {"error":{"message":7,"status":["x"]}}', "http_400", "invalid_request"],
    ["", "unknown", "other"],
    [null, "unknown", "other"],
    [undefined, "unknown", "other"]
  ]

  it.each(table)("%s", (message, code, category) => {
    const { detail, ...reason } = failureOf(message)
    assert.deepInclude(reason, { code, category })
    assert.isNotEmpty(detail)
    assert.notInclude(detail, '"type"')
  })
})
