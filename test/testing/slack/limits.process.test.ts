/** All that Slack refuses, each with its word, with status 200, and in `violations` where a careful client would not ask. */
import { expect, it } from "vitest"
import { SlackServer, type SlackServerOptions } from "../../../src/testing.ts"
import { type Json, post, raw, still } from "./client.ts"

const open = async (options: SlackServerOptions = {}) => {
  const slack = await SlackServer.start({ ...still, pace: false, ...options })
  slack.open("C1")
  return slack
}

const plain = (text: string) => ({ type: "plain_text", text })
const button = (more: Json = {}) => ({ type: "button", action_id: "a", value: "v", text: plain("Yes"), ...more })
const actions = (...elements: ReadonlyArray<unknown>) => ({ type: "actions", elements })
const section = (text: string) => ({ type: "section", text: plain(text) })
const rich = (text: string) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }]
})

it("takes blocks within their limits, and refuses others", async () => {
  await using slack = await open()
  const errorOf = async (...blocks: ReadonlyArray<unknown>) =>
    (await post(slack, "chat.postMessage", { channel: "C1", text: "x", blocks })).error ?? "ok"
  const many = (count: number) => Array.from({ length: count }, (_, index) => button({ action_id: `a${index}` }))
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    ["ok", Array.from({ length: 50 }, () => ({ type: "divider" }))],
    ["invalid_blocks", Array.from({ length: 51 }, () => ({ type: "divider" }))],
    ["ok", [actions(...many(25))]],
    ["invalid_blocks", [actions(...many(26))]],
    ["invalid_blocks", [actions()]],
    ["ok", [actions(button({ text: plain("x".repeat(75)), value: "v".repeat(2_000) }))]],
    ["invalid_blocks", [actions(button({ text: plain("x".repeat(76)) }))]],
    ["invalid_blocks", [actions(button({ text: { type: "mrkdwn", text: "x" } }))]],
    ["invalid_blocks", [actions(button({ text: plain("") }))]],
    ["invalid_blocks", [actions(button({ value: "v".repeat(2_001) }))]],
    ["invalid_blocks", [actions(button(), button())]],
    ["invalid_blocks", [actions(button()), actions(button())]],
    ["ok", [section("x".repeat(3_000))]],
    ["invalid_blocks", [section("x".repeat(3_001))]],
    [
      "invalid_blocks",
      [
        { ...section("x"), block_id: "b" },
        { ...section("y"), block_id: "b" }
      ]
    ],
    ["ok", [rich("x".repeat(11_000))]],
    ["msg_blocks_too_long", [rich("x".repeat(11_001))]],
    ["msg_blocks_too_long", [rich("x".repeat(6_000)), rich("x".repeat(6_000))]],
    ["invalid_blocks", [rich("")]],
    ["invalid_blocks", [{ type: "song" }]]
  ]
  const got: Array<string> = []
  for (const [, blocks] of cases) got.push(await errorOf(...blocks))
  expect(got).toEqual(cases.map(([expected]) => expected))
  expect(slack.violations()).toHaveLength(got.filter((error) => error !== "ok").length)
})

it("takes texts within their limits: 4,000 bytes in an update", async () => {
  await using slack = await open()
  const { ts } = await post(slack, "chat.postMessage", { channel: "C1", text: "x".repeat(40_001) })
  expect(slack.chat("C1")[0]?.text).toHaveLength(40_000)
  const update = (more: Json) => post(slack, "chat.update", { channel: "C1", ts, ...more })
  expect(await update({ text: "ä".repeat(2_000) })).toMatchObject({ ok: true })
  expect(await update({ text: "ä".repeat(2_001) })).toMatchObject({ error: "msg_too_long" })
  expect(await update({})).toMatchObject({ error: "no_text" })
  expect(await post(slack, "chat.postMessage", { channel: "C1" })).toMatchObject({ error: "no_text" })
  expect(
    await post(slack, "chat.postMessage", { channel: "C1", text: "x", metadata: { event_type: "x" } })
  ).toMatchObject({ error: "invalid_metadata_format" })
})

it("takes blocks away with a text alone, and takes the same content again", async () => {
  await using slack = await open()
  const message = { channel: "C1", text: "x", blocks: [section("shown"), actions(button())] }
  const { ts } = await post(slack, "chat.postMessage", message)
  for (let time = 0; time < 2; time++)
    expect(await post(slack, "chat.update", { ...message, ts })).toMatchObject({ ok: true })
  expect(slack.chat("C1")[0]).toMatchObject({ text: "shown", buttons: ["Yes"] })
  await post(slack, "chat.update", { channel: "C1", ts, text: "alone" })
  expect(slack.chat("C1")[0]).toMatchObject({ text: "alone", buttons: [], edited: true })
})

it("says why a place or a message is not there", async () => {
  await using slack = await open()
  const posted = slack.say("a person's", { chat: "C1" })
  slack.open("C2", { isMember: false })
  slack.open("G1", { isMember: false })
  slack.open("C3", { isArchived: true })
  const error = async (method: string, params: Json) => (await post(slack, method, { text: "x", ...params })).error
  expect([
    await error("chat.postMessage", { channel: "C2" }),
    await error("chat.postMessage", { channel: "G1" }),
    await error("chat.postMessage", { channel: "C3" }),
    await error("chat.postMessage", { channel: "C9" }),
    await error("chat.postMessage", { channel: "C1", thread_ts: "1.000001" }),
    await error("conversations.history", { channel: "C2" }),
    await error("conversations.history", { channel: "C3" }),
    await error("conversations.info", { channel: "C2" }),
    await error("conversations.replies", { channel: "C1", ts: "1.000001" }),
    await error("chat.update", { channel: "C1", ts: "1.000001" }),
    await error("chat.update", { channel: "C1", ts: posted.messageId }),
    await error("chat.delete", { channel: "C1", ts: posted.messageId })
  ]).toEqual([
    "not_in_channel",
    "channel_not_found",
    "is_archived",
    "channel_not_found",
    "thread_not_found",
    "not_in_channel",
    undefined,
    undefined,
    "thread_not_found",
    "message_not_found",
    "cant_update_message",
    "cant_delete_message"
  ])
})

it("knows its tokens, their kinds and their scopes", async () => {
  await using slack = await open({ scopes: ["chat:write", "channels:read"] })
  const tested = await raw(slack, "auth.test")
  expect([tested.status, tested.headers.get("x-oauth-scopes")]).toEqual([200, "chat:write,channels:read"])
  expect(await post(slack, "conversations.history", { channel: "C1" })).toEqual({
    ok: false,
    error: "missing_scope",
    needed: "channels:history",
    provided: "chat:write,channels:read"
  })
  expect(await post(slack, "files.info", { file: "F1" })).toMatchObject({
    error: "missing_scope",
    needed: "files:read"
  })
  const { token, appToken } = slack
  expect(await post({ ...slack, token: appToken }, "auth.test")).toMatchObject({ error: "not_allowed_token_type" })
  expect(await post({ ...slack, appToken: token }, "apps.connections.open")).toMatchObject({
    error: "not_allowed_token_type"
  })
  expect(await post({ ...slack, token: "xoxb-of-somebody" }, "auth.test")).toMatchObject({ error: "invalid_auth" })
  const bare = (body: URLSearchParams | string, type: string) =>
    fetch(`${slack.url}/auth.test`, { method: "POST", headers: { "content-type": type }, body }).then((got) =>
      got.json()
    )
  const form = "application/x-www-form-urlencoded"
  expect(await bare(new URLSearchParams({ token }), form)).toMatchObject({ ok: true })
  expect(await bare(JSON.stringify({ token }), "application/json")).toMatchObject({ error: "not_authed" })
  expect(await bare("{", "application/json")).toMatchObject({ error: "invalid_json" })
  expect(await bare("x", "text/plain")).toMatchObject({ error: "invalid_post_type" })
  const asForm = await fetch(`${slack.url}/apps.connections.open`, {
    method: "POST",
    body: new URLSearchParams({ token: appToken })
  })
  expect(await asForm.json()).toMatchObject({ error: "invalid_auth" })
  slack.revoke()
  expect(await post(slack, "auth.test")).toMatchObject({ error: "token_revoked" })
  expect(await post(slack, "chat.sing")).toMatchObject({ error: "unknown_method" })
})

it("gives histories newest first, in pages, with bounds, and metadata only where it is asked for", async () => {
  await using slack = await open()
  for (const text of ["one", "two", "three"]) slack.say(text, { chat: "C1" })
  const [one, two, three] = slack.chat("C1").map(({ messageId }) => messageId)
  slack.say("reply", { chat: "C1", thread: two ?? "" })
  slack.say("seen by all", { chat: "C1", thread: two ?? "", broadcast: true })
  await post(slack, "chat.postMessage", {
    channel: "C1",
    text: "mine",
    metadata: { event_type: "piece", event_payload: { key: "k" } }
  })
  const textsOf = async (method: string, params: Json) => {
    const { messages } = await post(slack, method, { channel: "C1", ...params })
    return (messages as ReadonlyArray<Json>).map(({ text }) => text)
  }
  const history = (params: Json) => textsOf("conversations.history", params)
  expect(await history({})).toEqual(["mine", "seen by all", "three", "two", "one"])
  expect(await history({ oldest: two })).toEqual(["mine", "seen by all", "three"])
  expect(await history({ oldest: two, latest: three, inclusive: true })).toEqual(["three", "two"])
  expect(await textsOf("conversations.replies", { ts: two })).toEqual(["two", "reply", "seen by all"])
  expect(await textsOf("conversations.replies", { ts: two, oldest: three, limit: 2 })).toEqual(["two", "reply"])
  const page = await post(slack, "conversations.history", { channel: "C1", limit: 4 })
  const { next_cursor: cursor } = page["response_metadata"] as Json
  expect(page["has_more"]).toBe(true)
  expect(await history({ limit: 4, cursor })).toEqual(["one"])
  expect(await post(slack, "conversations.history", { channel: "C1", limit: 1_000 })).toMatchObject({
    error: "invalid_limit"
  })
  expect(await post(slack, "conversations.history", { channel: "C1", oldest: "x" })).toMatchObject({
    error: "invalid_ts_oldest"
  })
  const found = await post(slack, "conversations.history", { channel: "C1", limit: 1, include_all_metadata: true })
  expect(found["messages"]).toMatchObject([{ metadata: { event_payload: { key: "k" } } }])
  expect((await post(slack, "conversations.history", { channel: "C1", limit: 1 }))["messages"]).not.toMatchObject([
    { metadata: {} }
  ])
  void one
})

it("lists places and people", async () => {
  await using slack = await open()
  slack.say("hello")
  slack.open("C2", { isMember: false, name: "general" })
  slack.open("G1", { isArchived: true })
  const idsOf = async (method: string, params: Json) =>
    ((await post(slack, method, params))["channels"] as ReadonlyArray<Json>).map(({ id }) => id)
  const types = "im,mpim,public_channel,private_channel"
  expect(await idsOf("users.conversations", { types })).toEqual(["C1", "D1001", "G1"])
  expect(await idsOf("users.conversations", { types, exclude_archived: true })).toEqual(["C1", "D1001"])
  expect(await idsOf("conversations.list", {})).toEqual(["C1", "C2"])
  expect(await post(slack, "conversations.info", { channel: "C2" })).toMatchObject({
    channel: { name: "general", is_member: false, is_private: false }
  })
  expect(await post(slack, "conversations.open", { users: "U1001" })).toMatchObject({ channel: { id: "D1001" } })
  expect(await post(slack, "conversations.open", { users: "U9" })).toMatchObject({ error: "user_not_found" })
  expect(await post(slack, "users.info", { user: "U1001" })).toMatchObject({
    user: { real_name: "Ann", is_bot: false }
  })
  expect(await post(slack, "chat.postMessage", { channel: "U1001", text: "hi" })).toMatchObject({ channel: "D1001" })
})
