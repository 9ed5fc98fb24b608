/** The words of a failure, and where they lack the exit code → code and category, with messages of the real CLI and API. */
import { assert, describe, it } from "vitest"
import { failureOf } from "../../../../src/cli/gemini/run/failures.ts"
import type { ErrorCategory } from "../../../../src/contract/ErrorCategory.ts"

describe("a failure", () => {
  const api = (error: unknown) => `[API Error: ${JSON.stringify({ error })}]`
  const reason = (word: string) => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: word })
  const nested = { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." }
  const overflow = "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."

  const table: ReadonlyArray<readonly [string, string | null, string, ErrorCategory, string]> = [
    ["unknown", api({ code: 401, status: "UNAUTHENTICATED", message: "bad" }), "UNAUTHENTICATED", "auth", "bad"],
    ["unknown", api({ code: 403, status: "PERMISSION_DENIED", message: "no" }), "PERMISSION_DENIED", "permission", "no"],
    ["unknown", api({ code: 429, status: "RESOURCE_EXHAUSTED", message: "q" }), "RESOURCE_EXHAUSTED", "rate_limit", "q"],
    ["unknown", api({ code: 500, status: "INTERNAL", message: "oops" }), "INTERNAL", "overloaded", "oops"],
    ["unknown", api({ code: 400, status: "INVALID_ARGUMENT", message: "x" }), "INVALID_ARGUMENT", "invalid_request", "x"],
    ["unknown", api({ code: 400, status: "INVALID_ARGUMENT", message: overflow }), "INVALID_ARGUMENT", "context_overflow", overflow],
    ["unknown", api({ code: 400, status: "INVALID_ARGUMENT", message: "k", details: [reason("API_KEY_INVALID")] }), "API_KEY_INVALID", "auth", "k"],
    ["unknown", api({ message: JSON.stringify({ error: nested }), code: 503, status: "Service Unavailable" }), "UNAVAILABLE", "overloaded", "The model is overloaded."],
    ["unknown", api({ message: "<html>Bad gateway</html>", code: 502, status: "Bad Gateway" }), "http_502", "overloaded", "<html>Bad gateway</html>"],
    ["unknown", `[API Error: ${JSON.stringify({ error: nested }, null, 2)}]`, "UNAVAILABLE", "overloaded", "The model is overloaded."],
    ["unknown", "[API Error: Too many requests]\nPlease wait and try again later.", "api_error", "rate_limit", "Too many requests"],
    ["unknown", "[API Error: models/x is not found]", "api_error", "invalid_request", "models/x is not found"],
    ["unknown", "[API Error: terminated]", "api_error", "network", "terminated"],
    ["unknown", "[API Error: exception TypeError: fetch failed sending request]", "api_error", "network", "exception TypeError: fetch failed sending request"],
    // The only text of 0.51.0 for any failure.
    ["unknown", "[API Error: An unknown error occurred.]", "api_error", "other", "An unknown error occurred: Gemini CLI gives no cause, and never does before 0.57.0: see `reins doctor`"],
    ["unknown", "[API Error: [a] b]", "api_error", "other", "[a] b"],
    ["FatalTurnLimitedError", "Reached max session turns for this session.", "FatalTurnLimitedError", "other", "Reached max session turns for this session."],
    ["FatalInputError", "[API Error: Exiting due to a command]", "FatalInputError", "invalid_request", "Exiting due to a command"],
    ["unknown", null, "unknown", "other", ""]
  ] // biome-ignore format: a table

  it.each(table)("%s %s", (type, message, code, category, detail) => {
    const failure = failureOf({ type, message })
    assert.deepInclude(failure, { _tag: "AgentFailed", code, category, detail })
  })

  const exits: ReadonlyArray<readonly [number, string, ErrorCategory]> = [
    [144, "http_400", "invalid_request"],
    [173, "http_429", "rate_limit"],
    [247, "http_503", "overloaded"],
    [17, "http_529", "overloaded"],
    [1, "api_error", "other"],
    [53, "api_error", "other"]
  ]
  it.each(exits)("without its status is known by the exit code %i", (code, expected, category) => {
    const message = "[API Error: You exceeded your current quota, please check your plan.]"
    assert.deepInclude(failureOf({ type: "unknown", message }, { code }), { code: expected, category })
    assert.deepInclude(failureOf({ type: "unknown", message }, { signal: "SIGKILL" }), { code: "api_error" })
    const own = { type: "FatalInputError", message: "No input." }
    assert.deepInclude(failureOf(own, { code }), { code: "FatalInputError", category: "invalid_request" })
    const status = `[API Error: ${JSON.stringify({ error: { code: 403, message: "no" } })}]`
    assert.deepInclude(failureOf({ message: status }, { code }), { code: "http_403", category: "permission" })
  })

  it("has the time to try again", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" }]
    assert.strictEqual(failureOf({ message: api({ code: 429, message: "q", details }) }).retryAfterMs, 3_500)
    assert.notProperty(failureOf({ message: api({ code: 429, message: "q" }) }), "retryAfterMs")
  })
})
