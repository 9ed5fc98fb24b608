/** Answers of Discord → what may have been done; holds of routes and of the account; close codes; starts. */
import { assert, describe, it } from "@effect/vitest"
import { failureOf, reasonOf } from "../../../src/channels/discord/calls/failure.ts"
import { makeLimits } from "../../../src/channels/discord/calls/limits.ts"
import { makeIdentifyPace, meaningOf } from "../../../src/channels/discord/incoming/connecting.ts"

const token = "TOKEN"
const answer = (status: number, json?: unknown, headers: Record<string, string> = {}) => ({
  status,
  json,
  headers: new Headers(headers)
})
const reason = (status: number, json?: unknown, headers: Record<string, string> = {}): unknown => {
  const failure = failureOf(answer(status, json, headers), token)
  return failure === undefined ? undefined : reasonOf(failure)
}

describe("an answer of Discord", () => {
  it.each([
    ["done", 200, { id: "1" }, undefined],
    ["done without a word", 204, undefined, undefined],
    ["half an answer", 200, undefined, { _tag: "Unknown" }],
    ["a server's failure", 500, { message: "x" }, { _tag: "Unknown" }],
    ["a gateway's page", 502, undefined, { _tag: "Unknown" }],
    ["too fast", 429, { retry_after: 1.5, global: false }, { _tag: "TooFast", retryAfterMs: 1_500, scope: "chat" }],
    [
      "too fast at all",
      429,
      { retry_after: 2, global: true },
      { _tag: "TooFast", retryAfterMs: 2_000, scope: "account" }
    ],
    ["barred", 403, undefined, { _tag: "TooFast", retryAfterMs: 600_000, scope: "account" }],
    ["a token that is refused", 401, { message: "401: Unauthorized", code: 0 }, { _tag: "Unreachable" }],
    ["no channel", 404, { code: 10_003 }, { _tag: "Gone", what: "chat" }],
    ["no message", 404, { code: 10_008 }, { _tag: "Gone", what: "message" }],
    ["no access", 403, { code: 50_001 }, { _tag: "Gone", what: "chat" }],
    ["no permission", 403, { code: 50_013 }, { _tag: "Gone", what: "chat" }],
    ["no direct messages", 403, { code: 50_007 }, { _tag: "Closed" }],
    ["old edits", 400, { code: 30_046 }, { _tag: "TooFast", retryAfterMs: 60_000, scope: "edits" }],
    ["anything else", 400, { code: 20_009, message: "Explicit" }, { _tag: "Refused", description: "Explicit" }]
  ])("means %s", (_what, status, json, expected) => {
    assert.deepStrictEqual(reason(status, json), expected)
  })

  it("without a body is of the account, for as long as its header says", () => {
    const expected = { _tag: "TooFast", retryAfterMs: 30_000, scope: "account" }
    assert.deepStrictEqual(reason(429, undefined, { "retry-after": "30" }), expected)
  })

  it("says what is wrong with a field, and never the token", () => {
    const errors = { content: { _errors: [{ code: "X", message: `Too long: ${token}` }] } }
    const expected = { _tag: "Refused", description: "Invalid Form Body: Too long: <token>" }
    assert.deepStrictEqual(reason(400, { code: 50_035, message: "Invalid Form Body", errors }), expected)
    const deep = Array.from({ length: 50 }).reduce<object>((all) => ({ a: all }), { _errors: [{ message: "x" }] })
    assert.deepStrictEqual(reason(400, { code: 1, message: "m", errors: deep }), { _tag: "Refused", description: "m" })
  })
})

describe("the limits of Discord", () => {
  it("hold a route whose bucket is empty, and no other, without a call", () => {
    const limits = makeLimits()
    const headers = new Headers({ "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.2" })
    limits.answered("POST 1", headers, undefined, 1_000)
    assert.deepStrictEqual(limits.held("POST 1", 1_200), { _tag: "TooFast", retryAfterMs: 1_000, scope: "route" })
    assert.isUndefined(limits.held("POST 2", 1_200))
    assert.isUndefined(limits.held("POST 1", 2_200))
  })

  it("hold everything for the account", () => {
    const limits = makeLimits()
    limits.answered("POST 1", new Headers(), { _tag: "TooFast", retryAfterMs: 500, scope: "account" }, 0)
    assert.strictEqual(limits.held("GET 9", 100)?.retryAfterMs, 400)
    assert.isUndefined(limits.held("GET 9", 500))
  })

  it("stop before Discord bars the address for its bad answers", () => {
    const limits = makeLimits()
    const bad = { _tag: "Refused", status: 403, code: 50_001, description: "" } as const
    for (let at = 0; at < 999; at++) limits.answered("POST 1", new Headers(), bad, at)
    assert.isUndefined(limits.held("POST 1", 999))
    limits.answered("POST 1", new Headers(), bad, 999)
    assert.strictEqual(limits.held("POST 1", 1_000)?.scope, "account")
    assert.isUndefined(limits.held("POST 1", 600_000))
    for (let at = 0; at < 5_000; at++)
      limits.answered(`POST ${at}`, new Headers(), { _tag: "TooFast", retryAfterMs: 9, scope: "route" }, 0)
    assert.isAtMost(limits.size(), 2_000)
  })
})

describe("the gateway", () => {
  it.each([
    [undefined, "resume"],
    [1_000, "resume"],
    [4_000, "resume"],
    [4_003, "identify"],
    [4_007, "identify"],
    [4_008, "resume"],
    [4_009, "identify"]
  ])("closed with %s: %s", (code, expected) => {
    assert.isTrue(meaningOf(code) === expected)
  })

  it.each([4_004, 4_010, 4_011, 4_012, 4_013, 4_014])("closed with %s: it has ended", (code) => {
    assert.isObject(meaningOf(code))
  })

  it("is not asked for a new session more than once in 5 s, nor more than 50 times an hour", () => {
    const pace = makeIdentifyPace()
    assert.strictEqual(pace.waitMs(0), 0)
    pace.take(0)
    assert.strictEqual(pace.waitMs(1_000), 4_500)
    for (let at = 1; at < 50; at++) pace.take(at * 5_000)
    assert.strictEqual(pace.waitMs(250_000), 245_000 + 1_800_000 - 250_000)
    assert.strictEqual(pace.waitMs(3_900_000), 0)
  })
})
