/** Slack's words for failures and what they mean for delivery; options of the channel. */
import { assert, describe, it } from "vitest"
import { failureOf, failureOfStatus, isTokenRefused, reasonOf } from "../../../src/channels/slack/calls/failure.ts"
import { isOfSlack } from "../../../src/channels/slack/place.ts"
import { checkSlack, type SlackOptions } from "../../../src/channels/slack/SlackOptions.ts"

const answer = (status: number, json: unknown, headers: Record<string, string> = {}) =>
  failureOf({ status, headers: new Headers(headers), json })

const reason = (failure: ReturnType<typeof answer>, method = "chat.postMessage") => {
  if (failure === undefined) throw new Error("it was done")
  return reasonOf(failure, method)
}

const refused = (error: string, more: object = {}) => answer(200, { ok: false, error, ...more })
const tooFast = (retryAfterMs: number, scope: "chat" | "allEdits" | "account") => ({
  _tag: "TooFast",
  retryAfterMs,
  scope
})

describe("what Slack refuses", () => {
  it.each<[string, object]>([
    ["ratelimited", tooFast(10_000, "chat")],
    ["rate_limited", tooFast(10_000, "chat")],
    ["internal_error", { _tag: "Unknown" }],
    ["fatal_error", { _tag: "Unknown" }],
    ["service_unavailable", { _tag: "Unknown" }],
    ["request_timeout", { _tag: "Unknown" }],
    ["channel_not_found", { _tag: "Gone", what: "chat" }],
    ["is_archived", { _tag: "Gone", what: "chat" }],
    ["not_in_channel", { _tag: "Gone", what: "chat" }],
    ["thread_not_found", { _tag: "Gone", what: "thread" }],
    ["message_not_found", { _tag: "Gone", what: "message" }],
    ["cant_update_message", { _tag: "Gone", what: "message" }],
    ["edit_window_closed", { _tag: "Gone", what: "message" }],
    ["user_not_found", { _tag: "Gone", what: "user" }],
    ["invalid_auth", { _tag: "Unreachable" }],
    ["account_inactive", { _tag: "Unreachable" }],
    ["token_revoked", { _tag: "Unreachable" }],
    ["token_expired", { _tag: "Unreachable" }],
    ["not_authed", { _tag: "Unreachable" }],
    ["msg_too_long", { _tag: "Refused", description: "msg_too_long" }],
    ["restricted_action", { _tag: "Refused", description: "restricted_action" }],
    ["missing_scope", { _tag: "Refused", description: "the app lacks a scope" }],
    [
      "messages_tab_disabled",
      { _tag: "Refused", description: "messages_tab_disabled: turn the app's Messages tab on (App Home)" }
    ]
  ])("%s", (error, expected) => {
    assert.deepStrictEqual<object>(reason(refused(error)), expected)
  })

  it.each<[string, number, unknown, object]>([
    ["500 with a word", 500, { ok: false, error: "is_archived" }, { _tag: "Unknown" }],
    ["502 with a page", 502, undefined, { _tag: "Unknown" }],
    ["200 without JSON", 200, undefined, { _tag: "Unknown" }],
    ["200 with JSON of another form", 200, ["ok"], { _tag: "Unknown" }],
    ["200 without a word", 200, { ok: false }, { _tag: "Refused", description: "unknown_error" }],
    ["404 with a page", 404, undefined, { _tag: "Unknown" }],
    ["404 that says that it was done", 404, { ok: true }, { _tag: "Unknown" }],
    ["403 with a word", 403, { ok: false, error: "not_in_channel" }, { _tag: "Gone", what: "chat" }],
    ["429 without JSON", 429, undefined, tooFast(10_000, "chat")]
  ])("%s", (_, status, json, expected) => {
    assert.deepStrictEqual<object>(reason(answer(status, json)), expected)
  })

  it("is nothing where it was done", () => {
    assert.isUndefined(answer(200, { ok: true }))
  })

  it("holds the channel, all edits or the account, for as long as Slack says", () => {
    const failure = answer(429, { ok: false, error: "ratelimited" }, { "retry-after": "7" })
    const scopes = ["chat.postMessage", "chat.update", "conversations.history"].map((method) => reason(failure, method))
    assert.deepStrictEqual<object>(scopes, [
      tooFast(7_000, "chat"),
      tooFast(7_000, "allEdits"),
      tooFast(7_000, "account")
    ])
    for (const odd of ["", "-1", "soon", "1e9", "9999999"])
      assert.deepStrictEqual<object>(reason(answer(429, {}, { "retry-after": odd })), tooFast(10_000, "chat"))
  })

  it("names the scope that is missing", () => {
    assert.deepStrictEqual<object>(reason(refused("missing_scope", { needed: "files:write" })), {
      _tag: "Refused",
      description: "the app lacks files:write"
    })
  })

  it("has no text of its own: what was sent back is not repeated", () => {
    const secret = "xoxb-1000000000-TESTtokenOfNobody"
    for (const failure of [refused(secret), refused(`invalid ${secret}`), refused("missing_scope", { needed: secret })])
      assert.notInclude(JSON.stringify(failure), "TESTtoken")
  })

  it("is the token, for five words alone", () => {
    const words = ["invalid_auth", "account_inactive", "token_revoked", "token_expired", "not_authed", "is_archived"]
    assert.deepStrictEqual(
      words.map((error) => isTokenRefused({ _tag: "Refused", error })),
      [true, true, true, true, true, false]
    )
    assert.isFalse(isTokenRefused({ _tag: "Unknown" }))
  })

  it.each<[number, string | undefined]>([
    [200, undefined],
    [204, undefined],
    [404, "Refused"],
    [408, "Unknown"],
    [429, "Unknown"],
    [500, "Unknown"]
  ])("of another address, status %d", (status, tag) => {
    assert.strictEqual(failureOfStatus(status)?._tag, tag)
  })
})

describe("an address that gets a token or an answer", () => {
  const hosts = ["hooks.slack.com"]
  it.each<[string, boolean]>([
    ["https://hooks.slack.com/actions/T1/2/3", true],
    ["https://slack.test:8443/x", true],
    ["http://hooks.slack.com/actions/T1/2/3", false],
    ["https://hooks.slack.com:444/x", false],
    ["https://hooks.slack.com.example.org/x", false],
    ["https://a@hooks.slack.com/x", false],
    ["https://slack.test/x", false],
    ["http://slack.test:8443/x", false],
    ["http://127.0.0.1/x", false],
    ["file:///etc/passwd", false],
    ["hooks.slack.com", false],
    ["", false]
  ])("%s: %s", (url, expected) => {
    assert.strictEqual(isOfSlack(url, hosts, { apiRoot: "https://slack.test:8443/api" }), expected)
  })
})

describe("the options of Slack", () => {
  const right = { botToken: "xoxb-1-2-abcdefghij", appToken: "xapp-1-A0TESTAPP-3-abcdef" }

  it("have defaults, and the app's id where its token names it", () => {
    const checked = checkSlack({ ...right, groups: { C1: {}, "*": { mention: false } } })
    assert.deepStrictEqual(checked._tag === "Success" && checked.success, {
      ...right,
      appId: "A0TESTAPP",
      apiRoot: "https://slack.com/api",
      groups: new Map([
        ["C1", { mention: true }],
        ["*", { mention: false }]
      ])
    })
    const odd = checkSlack({
      botToken: " xoxb-1-2-abcdefghij\n",
      appToken: "xapp-abcdefghijkl",
      apiRoot: "http://x/api/"
    })
    assert.deepStrictEqual(odd._tag === "Success" && [odd.success.botToken, odd.success.appId, odd.success.apiRoot], [
      "xoxb-1-2-abcdefghij",
      undefined,
      "http://x/api"
    ])
  })

  it.each<[Partial<SlackOptions>, string]>([
    [{ botToken: right.appToken }, "botToken"],
    [{ appToken: right.botToken }, "appToken"],
    [{ botToken: "" }, "botToken"],
    [{ appToken: `${right.appToken}\n${right.appToken}` }, "appToken"],
    [{ apiRoot: "slack.com/api" }, "apiRoot"]
  ])("%j are refused without a token in the words", (wrong, option) => {
    const checked = checkSlack({ ...right, ...wrong })
    if (checked._tag === "Success") return assert.fail("they were taken")
    const { message, help } = checked.failure
    assert.include(message, option)
    for (const token of Object.values(right)) assert.notInclude(`${message} ${help}`, token)
  })
})
