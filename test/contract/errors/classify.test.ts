/** The category of an error: by its codes, then by the HTTP status, then by whole words of the message. */
import { assert, describe, it } from "vitest"
import { claude } from "../../../src/cli/claude/index.ts"
import type { ErrorCategory } from "../../../src/contract/ErrorCategory.ts"
import { classify, type ErrorFacts } from "../../../src/contract/errors/classify.ts"
import { fixturesOf } from "../../cli/fixtures.ts"

const parse = (line: string): Record<string, unknown> => JSON.parse(line)

describe("the errors of the recordings", () => {
  const expected: Readonly<Record<string, ErrorCategory>> = {
    "01-refusal": "invalid_request",
    "06-400": "invalid_request",
    "06-400-credit": "billing",
    "06-400-too-long": "context_overflow",
    "06-403": "auth",
    "06-404-model": "invalid_request",
    "06-429-2retries": "rate_limit",
    "06-500-2retries": "overloaded",
    "06-html-502": "overloaded",
    "06-long-529": "overloaded",
    "06-long-refused": "network",
    "06-long-retry-after": "rate_limit",
    "07-resume-5-missing": "session_not_found",
    "07-resume-8-no-value": "session_not_found",
    "08-retry-SIGINT": "aborted",
    "08-stream-SIGINT": "aborted",
    "10-bare-oauth": "auth",
    "10-no-auth": "auth",
    "10-rate-limit-rejected": "rate_limit",
    "13-hang-before": "overloaded",
    "15-daemon-SIGINT": "aborted",
    "18-budget": "other"
  }

  const failures = fixturesOf(claude).flatMap(({ name, bytes }) => {
    const lines = new TextDecoder().decode(bytes).split("\n").filter(Boolean).map(parse)
    const result = lines.findLast(({ type }) => type === "result")
    const synthetic = lines.findLast((line) => line["is_api_error_message"] === true)
    return result?.["is_error"] === true ? [[name, result, synthetic] as const] : []
  })

  it.each(failures)("%s", (name, result, synthetic) => {
    const code = (value: unknown) => (typeof value === "string" ? value : null)
    const { terminal_reason, api_error, api_error_type, api_error_status: status } = result
    const facts: ErrorFacts = {
      codes: [terminal_reason, api_error, synthetic?.["error"], api_error_type].map(code),
      status: typeof status === "number" ? status : null,
      message: String(result["result"] ?? result["errors"])
    }
    assert.strictEqual(classify(facts), expected[name])
  })

  it("are all in the table", () => {
    assert.sameMembers(
      failures.map(([name]) => name),
      Object.keys(expected)
    )
  })
})

describe("by message only, as for an exit without a result", () => {
  const table: ReadonlyArray<readonly [string, ErrorCategory]> = [
    // stderr of Claude Code
    ["--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons", "permission"],
    ["error: unknown option '- item one'", "invalid_request"],
    ["Error: Settings file not found: /workspace/{bad", "invalid_request"],
    ["No conversation found with session ID: 00000000-0000-4000-8000-000000000000", "session_not_found"],
    ["Error: Session ID 11111111-2222-4333-8444-555555555555 is already in use.", "invalid_request"],
    // its results
    ["Not logged in · Please run /login", "auth"],
    ["Invalid API key · Fix external API key", "auth"],
    ["Credit balance is too low", "billing"],
    ["You've hit your 5-hour limit · resets 9:12am (UTC)", "rate_limit"],
    ["You've hit your weekly limit", "rate_limit"],
    ["API Error: Request rejected (429) · slow down", "rate_limit"],
    ["Prompt is too long · the request is ~210000 tokens (limit 200000)", "context_overflow"],
    ["API Error: 529 Overloaded. This is a server-side issue", "overloaded"],
    ["API Error: 502 Bad Gateway. This is a server-side issue", "overloaded"],
    ["API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)", "network"],
    // stderr of Pi
    ["No API key found for anthropic.\n\nUse /login to log into a provider via OAuth or API key.", "auth"],
    ["No session found matching '00000000-0000-0000-0000-000000000000'", "session_not_found"],
    ["Error: Unknown option: -x: what?", "invalid_request"],
    // of others
    ["Connection error.", "network"],
    ["getaddrinfo ENOTFOUND api.example.com", "network"],
    ["TypeError: fetch failed", "network"],
    ["EACCES: permission denied, open '/x'", "permission"],
    ["HTTP 402 Payment Required", "billing"],
    ["429", "rate_limit"],
    ["error 429: slow down", "rate_limit"],
    ["[429] slow down", "rate_limit"],
    ["the server answered with status 429 for this key", "rate_limit"],
    ["HTTP/1.1 401", "auth"],
    ["the provider refused it: 401.", "auth"],
    ["request failed with status code 500", "overloaded"],
    ["500 Internal Server Error", "overloaded"],
    ["504 Gateway Timeout", "overloaded"],
    ["", "other"],
    ["an entirely new error", "other"]
  ]

  it.each(table)("%s", (message, category) => {
    assert.strictEqual(classify({ message }), category)
  })

  it.each([
    "Processed 14290 files",
    "429 files could not be read",
    "Error: 429 files could not be read",
    "401 apples, 402 pears",
    "read 500 lines, then 503 more",
    "Error: 529 lines are too long",
    "line 4291 of 5290",
    "port 15029 is open",
    "unexpected token in line 429",
    "a limit of 500",
    "commit 401abc",
    "line 1529 and port 8500",
    "1429 files, 40401 lines, x402",
    "overloadedness and unauthorizedly",
    "version 1.5000"
  ])("ignores a number or word inside another: %s", (message) => {
    assert.strictEqual(classify({ message }), "other")
  })

  it("returns the default of the caller for unknown errors", () => {
    assert.strictEqual(classify({ message: "Segmentation fault", otherwise: "crash" }), "crash")
  })
})

describe("precedence", () => {
  const table: ReadonlyArray<readonly [string, ErrorFacts, ErrorCategory]> = [
    ["a code than the status", { codes: ["billing_error"], status: 400 }, "billing"],
    ["the first known code", { codes: ["api_error", null, undefined, "rate_limit", "billing_error"] }, "rate_limit"],
    ["a code than the message", { codes: ["prompt_too_long"], message: "429" }, "context_overflow"],
    ["the status than the message", { status: 403, message: "rate limit" }, "permission"],
    ["an unknown code does not hide the status", { codes: ["brand_new"], status: 429 }, "rate_limit"],
    ["an unknown status does not hide the message", { status: 302, message: "overloaded" }, "overloaded"],
    ["a status than a word for any refusal", { codes: ["invalid_request_error"], status: 401 }, "auth"],
    ["that word, where the status is as vague", { codes: ["invalid_request_error"], status: 418 }, "invalid_request"],
    ["a code behind that word", { codes: ["invalid_request_error", "insufficient_quota"], status: 400 }, "billing"],
    ["a member of every object is not a code", { codes: ["constructor", "toString", "__proto__"] }, "other"]
  ]

  it.each(table)("%s", (_, facts, category) => {
    assert.strictEqual(classify(facts), category)
  })

  const statuses: ReadonlyArray<readonly [number, ErrorCategory]> = [
    [400, "invalid_request"],
    [401, "auth"],
    [402, "billing"],
    [403, "permission"],
    [404, "invalid_request"],
    [408, "network"],
    [413, "invalid_request"],
    [429, "rate_limit"],
    [499, "invalid_request"],
    [500, "overloaded"],
    [503, "overloaded"],
    [529, "overloaded"],
    [200, "other"]
  ]

  it.each(statuses)("status %i is %s", (status, category) => {
    assert.strictEqual(classify({ status }), category)
  })
})
