/** Errors of the Graph API and what they mean for delivery. */
import { assert, describe, it } from "vitest"
import { failureOf, isTokenRefused, reasonOf } from "../../../src/channels/whatsapp/calls/failure.ts"

const token = "EAAJB-secret-token-of-a-system-user"
const hide = (text: string) => text.replaceAll(token, "<secret>")

const answer = (status: number, json: unknown, headers: Record<string, string> = {}) =>
  failureOf({ status, headers: new Headers(headers), json }, hide)

const refusal = (code: number, details = "no such thing", status = 400) =>
  answer(status, { error: { message: `(#${code}) A title`, code, error_data: { details } } })

const reason = (failure: ReturnType<typeof refusal>) => {
  if (failure === undefined) throw new Error("it was done")
  return reasonOf(failure)
}

const tooFast = (retryAfterMs: number, scope: "chat" | "account") => ({ _tag: "TooFast", retryAfterMs, scope })

describe("what WhatsApp refuses", () => {
  it.each<[number, object]>([
    [131_056, tooFast(6_000, "chat")],
    [4, tooFast(60_000, "account")],
    [80_007, tooFast(60_000, "account")],
    [130_429, tooFast(60_000, "account")],
    [131_048, tooFast(60_000, "account")],
    [131_057, tooFast(60_000, "account")],
    [131_047, { _tag: "Closed" }],
    [131_026, { _tag: "Gone", what: "user" }],
    [131_021, { _tag: "Gone", what: "user" }],
    [131_030, { _tag: "Gone", what: "user" }],
    [190, { _tag: "Unreachable" }],
    [0, { _tag: "Unreachable" }],
    [10, { _tag: "Unreachable" }],
    [200, { _tag: "Unreachable" }],
    [299, { _tag: "Unreachable" }],
    [1, { _tag: "Unknown" }],
    [2, { _tag: "Unknown" }],
    [131_000, { _tag: "Unknown" }],
    [131_016, { _tag: "Unknown" }],
    [100, { _tag: "Refused", description: "no such thing" }],
    [131_009, { _tag: "Refused", description: "no such thing" }],
    [131_051, { _tag: "Refused", description: "no such thing" }],
    [199, { _tag: "Refused", description: "no such thing" }],
    [300, { _tag: "Refused", description: "no such thing" }]
  ])("%d", (code, expected) => {
    assert.deepStrictEqual<object>(reason(refusal(code)), expected)
  })

  it.each<[string, number, unknown, object]>([
    ["500 with a code", 500, { error: { code: 100 } }, { _tag: "Unknown" }],
    ["502 with a page", 502, undefined, { _tag: "Unknown" }],
    ["200 without JSON", 200, undefined, { _tag: "Unknown" }],
    ["302", 302, undefined, { _tag: "Unknown" }],
    ["400 without JSON", 400, undefined, { _tag: "Unknown" }],
    ["400 of another form", 400, { error: "no" }, { _tag: "Unknown" }],
    ["429 without JSON", 429, undefined, tooFast(60_000, "account")]
  ])("%s", (_, status, json, expected) => {
    assert.deepStrictEqual<object>(reason(answer(status, json)), expected)
  })

  it("was done with a status of success", () => {
    assert.isUndefined(answer(200, {}))
    assert.isUndefined(answer(201, { id: "1" }))
  })

  it("waits as long as WhatsApp says", () => {
    const failure = answer(400, { error: { code: 131_056 } }, { "retry-after": "9" })
    assert.deepStrictEqual<object>(reason(failure), tooFast(9_000, "chat"))
  })

  it("is the token's, or not", () => {
    const of = (code: number) => {
      const failure = refusal(code)
      return failure !== undefined && isTokenRefused(failure)
    }
    assert.deepStrictEqual([0, 10, 190, 200, 250, 299].map(of), [true, true, true, true, true, true])
    assert.deepStrictEqual([1, 100, 199, 300, 131_005].map(of), [false, false, false, false, false])
  })

  it("says nothing of the token, and not much of anything", () => {
    const failure = JSON.stringify(refusal(100, `${token} \u202e${"x".repeat(1_000)}`))
    for (const wrong of [token, "\u202e"]) assert.notInclude(failure, wrong)
    assert.isBelow(failure.length, 400)
  })

  it("is in the words of the details, else of the title", () => {
    const worded = (error: object) => reason(answer(400, { error: { code: 100, ...error } }))
    assert.deepStrictEqual<object>(worded({ message: "m" }), { _tag: "Refused", description: "m" })
    assert.deepStrictEqual<object>(worded({ title: "t", message: "m", error_data: {} }), {
      _tag: "Refused",
      description: "t"
    })
    assert.deepStrictEqual<object>(worded({}), { _tag: "Refused", description: "error 100" })
  })
})
