/** Errors of grammY → the known outcome of a call, and the reaction of delivery. */
import { assert, describe, it } from "vitest"
import { failureOf, isTokenRefused, reasonOf } from "../../../src/channels/telegram/calls/failure.ts"
import { makePollState } from "../../../src/channels/telegram/incoming/poll.ts"
import { makeHaste } from "../../../src/channels/telegram/outgoing/write.ts"

const token = "123:secret"
const refusal = (error_code: number, description: string, parameters: object = {}) =>
  failureOf({ ok: false, error_code, description, parameters }, token)
const network = (cause: object) => failureOf({ name: "HttpError", error: cause }, token)

describe("a call that failed", () => {
  const rows: ReadonlyArray<readonly [number, string, object | string]> = [
    [403, "Forbidden: bot was blocked by the user", { _tag: "Gone", what: "user" }],
    [403, "Forbidden: user is deactivated", { _tag: "Gone", what: "user" }],
    [403, "Forbidden: bot can't initiate conversation with a user", { _tag: "Closed" }],
    [403, "Forbidden: bot was kicked from the supergroup chat", { _tag: "Gone", what: "chat" }],
    [403, "Forbidden: bot is not a member of the channel chat", { _tag: "Gone", what: "chat" }],
    [403, "Forbidden: something new", { _tag: "Refused", description: "something new" }],
    [400, "Bad Request: chat not found", { _tag: "Gone", what: "chat" }],
    [400, "Bad Request: message thread not found", { _tag: "Gone", what: "thread" }],
    [400, "Bad Request: TOPIC_CLOSED", { _tag: "Gone", what: "thread" }],
    [400, "Bad Request: message to edit not found", { _tag: "Gone", what: "message" }],
    [400, "Bad Request: MESSAGE_ID_INVALID", { _tag: "Gone", what: "message" }],
    [400, "Bad Request: message is too long", { _tag: "Refused", description: "message is too long" }],
    [401, "Unauthorized", { _tag: "Unreachable" }],
    [429, "Too Many Requests: retry after 7", { _tag: "TooFast", retryAfterMs: 5_000, scope: "chat" }],
    [500, "Internal Server Error", { _tag: "Unknown" }],
    [502, "Bad Gateway", { _tag: "Unknown" }]
  ]
  it.each(rows)("was refused with %d: %s", (code, description, reason) => {
    assert.deepStrictEqual<object | string>(reasonOf(refusal(code, description)), reason)
  })

  it("is put off for as long as Telegram says", () => {
    const failure = refusal(429, "Too Many Requests: retry after 7", { retry_after: 7 })
    assert.deepStrictEqual(reasonOf(failure), { _tag: "TooFast", retryAfterMs: 7_000, scope: "chat" })
  })

  it.each([
    ["refused", { code: "ECONNREFUSED" }, "Unreachable"],
    ["no such name", { code: "ENOTFOUND" }, "Unreachable"],
    ["names are not answered", { code: "EAI_AGAIN" }, "Unreachable"],
    ["a certificate", { code: "CERT_HAS_EXPIRED" }, "Unreachable"],
    [
      "no way, while connecting",
      { code: "ENETUNREACH", message: "request to x failed, reason: connect ENETUNREACH 1.2.3.4:443" },
      "Unreachable"
    ],
    [
      "no way, while reading",
      { code: "EHOSTUNREACH", message: "request to x failed, reason: read EHOSTUNREACH" },
      "Unknown"
    ],
    ["reset", { code: "ECONNRESET" }, "Unknown"],
    ["hung up", { code: "ECONNRESET", message: "socket hang up" }, "Unknown"],
    ["ended early", { code: "ERR_STREAM_PREMATURE_CLOSE" }, "Unknown"],
    ["no JSON", { type: "invalid-json" }, "Unknown"]
  ] as const)("did not get there, or may have: %s", (_, cause, tag) => {
    assert.strictEqual(network(cause)._tag, tag)
  })

  it("is the token's, or not", () => {
    assert.isTrue(isTokenRefused(refusal(401, "Unauthorized")))
    assert.isTrue(isTokenRefused(refusal(404, "Not Found")))
    assert.isFalse(isTokenRefused(refusal(404, "Not Found: method not found")))
    assert.isFalse(isTokenRefused(refusal(403, "Forbidden: bot was blocked by the user")))
  })

  it("says nothing of the token, and not much of anything", () => {
    const failure = refusal(400, `Bad Request: ${token} \u202e${"x".repeat(1_000)}`)
    assert.notInclude(JSON.stringify(failure), token)
    assert.isBelow(JSON.stringify(failure).length, 400)
    assert.notInclude(JSON.stringify(failure), "\u202e")
  })
})

describe("what Telegram puts off", () => {
  it("is a chat, or all of them where three end together and nothing is taken", () => {
    const haste = makeHaste()
    assert.strictEqual(haste.refused("1", 10_000, 0), "chat")
    assert.strictEqual(haste.refused("1", 9_000, 1_000), "chat")
    assert.strictEqual(haste.refused("2", 9_000, 1_500), "chat")
    assert.strictEqual(haste.refused("far", 30_000, 1_500), "chat")
    haste.taken()
    assert.strictEqual(haste.refused("3", 8_000, 2_000), "chat")
    assert.strictEqual(haste.refused("2", 8_000, 2_000), "chat")
    assert.strictEqual(haste.refused("5", 8_000, 2_000), "account")
    assert.strictEqual(haste.heldMs("1", 9_999), 1)
    assert.strictEqual(haste.heldMs("1", 10_000), 0)
    assert.strictEqual(haste.heldMs("4", 0), 0)
    for (let chat = 0; chat < 5_000; chat++) haste.refused(`c${chat}`, 1e9 + chat * 5_000, 0)
    assert.isAtMost(haste.size(), 1_001)
  })
})

describe("a poll that failed", () => {
  const unknown = { _tag: "Unknown" } as const
  it("is repeated after longer and longer times, and said after five minutes", () => {
    const state = makePollState(0)
    const waits = Array.from({ length: 10 }, () => state.failed(unknown, 1_000)?.waitMs)
    assert.deepStrictEqual(waits, [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000])
    assert.include(state.failed(unknown, 300_000)?.line, "five minutes")
    assert.isUndefined(state.failed(unknown, 900_000)?.line)
    assert.include(state.completed(900_000), "again")
    assert.isUndefined(state.completed(900_001))
    assert.deepStrictEqual(state.failed(unknown, 900_002), { waitMs: 200 })
  })
  it("since another program reads is said once, and not of a look", () => {
    const state = makePollState(0)
    const conflict = refusal(409, "Conflict: terminated by other getUpdates request")
    assert.deepStrictEqual(state.failed(conflict, 0), { waitMs: 5_000 })
    assert.deepStrictEqual(state.failed(conflict, 700_000), { waitMs: 5_000 })
    assert.include(state.failed(conflict, 705_000)?.line, "another program")
    assert.deepStrictEqual(state.failed(conflict, 735_000), { waitMs: 30_000 })
    assert.include(state.failed(refusal(409, "Conflict: webhook is active"), 765_000)?.line, "webhook")
  })
  it("waits as long as Telegram says, and ends with the token", () => {
    const state = makePollState(0)
    assert.deepStrictEqual(state.failed(refusal(429, "x", { retry_after: 9 }), 0), { waitMs: 9_000 })
    assert.isUndefined(state.failed(refusal(401, "Unauthorized"), 0))
  })
})
