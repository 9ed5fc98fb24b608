/** Foreign clients are the judges of the server: Slack's own `WebClient` and `SocketModeClient` work with it as with Slack. */
import { LogLevel, SocketModeClient } from "@slack/socket-mode"
import { WebClient } from "@slack/web-api"
import { expect, it } from "vitest"
import { SlackServer, type SlackServerOptions } from "../../../src/testing.ts"
import { still } from "./client.ts"

const quiet = { logLevel: LogLevel.ERROR }

const open = async (options: SlackServerOptions = {}) => {
  const slack = await SlackServer.start(options)
  const web = new WebClient(slack.token, { slackApiUrl: slack.url, ...quiet, retryConfig: { retries: 0 } })
  const client = new SocketModeClient({
    appToken: slack.appToken,
    // How long it waits for the end of a closed connection, which Slack leaves to it.
    clientPingTimeout: 300,
    clientOptions: { slackApiUrl: slack.url, ...quiet },
    ...quiet
  })
  const stop = async () => {
    await client.disconnect()
    await slack[Symbol.asyncDispose]()
  }
  return { slack, web, client, [Symbol.asyncDispose]: stop }
}

/** All that comes under a name, in order, acknowledged. */
const heardBy = (client: SocketModeClient, name: string) => {
  const received: Array<Record<string, unknown>> = []
  client.on(name, async ({ ack, event, body }) => {
    received.push(event ?? body)
    await ack()
  })
  return received
}

it("is connected to, hears messages and mentions, and acknowledges them", async () => {
  await using all = await open()
  const { slack, web, client } = all
  const [messages, mentions] = [heardBy(client, "message"), heardBy(client, "app_mention")]
  expect(await web.auth.test()).toMatchObject({ user_id: slack.me.id, bot_id: slack.me.botId, team_id: slack.team.id })
  await client.start()
  expect(slack.listeners()).toBe(1)
  slack.say("hello")
  slack.say("@reins look at this", { chat: "C1" })
  await slack.until(() => slack.confirmed() === 3 || undefined)
  expect(messages).toMatchObject([
    { text: "hello", channel: "D1001", channel_type: "im", user: "U1001" },
    { text: `<@${slack.me.id}> look at this`, channel: "C1", channel_type: "channel" }
  ])
  expect(mentions).toMatchObject([{ type: "app_mention", channel: "C1", ts: messages[1]?.["ts"] }])
  expect(slack.pending()).toEqual([])
})

it("is connected to anew when it asks for that, and gives what was not acknowledged again", async () => {
  await using all = await open(still)
  const { slack, client } = all
  const attempts: Array<readonly [unknown, unknown, unknown]> = []
  const first = Promise.withResolvers<void>()
  client.on("message", async ({ ack, event, retry_num: count, retry_reason: reason }) => {
    attempts.push([event.text, count, reason])
    first.resolve()
    if (event.text !== "lost" || count > 0) await ack()
  })
  await client.start()
  slack.say("lost")
  await first.promise
  slack.advance(3_000)
  await slack.until(() => slack.confirmed() === 1 || undefined)
  slack.disconnect("refresh_requested")
  await slack.until(() => slack.listeners() === 0 || undefined)
  await slack.until(() => slack.listeners() === 1 || undefined)
  slack.say("heard by the next")
  await slack.until(() => slack.confirmed() === 2 || undefined)
  expect(attempts).toEqual([
    ["lost", 0, ""],
    ["lost", 1, "timeout"],
    ["heard by the next", 0, ""]
  ])
})

it("fails as its client says: too often, a cut answer, a refusal", async () => {
  await using all = await open()
  const { slack, web } = all
  slack.open("C1")
  slack.fail("chat.postMessage", { retryAfter: 7 })
  const eager = new WebClient(slack.token, { slackApiUrl: slack.url, ...quiet, rejectRateLimitedCalls: true })
  await expect(eager.chat.postMessage({ channel: "C1", text: "x" })).rejects.toMatchObject({
    code: "slack_webapi_rate_limited_error",
    retryAfter: 7
  })
  slack.advance(7_000)
  slack.fail("chat.postMessage", "cutAfter")
  await expect(web.chat.postMessage({ channel: "C1", text: "x" })).rejects.toMatchObject({
    code: "slack_webapi_request_error"
  })
  await expect(web.chat.postMessage({ channel: "C9", text: "x" })).rejects.toMatchObject({
    code: "slack_webapi_platform_error",
    data: { error: "channel_not_found" }
  })
  expect(slack.chat("C1")).toHaveLength(1)
})

it("posts, changes, deletes, and finds its own messages by their metadata", async () => {
  await using all = await open()
  const { slack, web } = all
  slack.open("C1")
  const metadata = { event_type: "piece", event_payload: { key: "k1" } }
  const root = slack.say("a question", { chat: "C1" })
  const posted = await web.chat.postMessage({ channel: "C1", thread_ts: root.messageId, text: "an answer", metadata })
  const { ts = "" } = posted
  await web.chat.update({ channel: "C1", ts, text: "a better answer" })
  const replies = { channel: "C1", ts: root.messageId }
  const without = await web.conversations.replies(replies)
  const found = await web.conversations.replies({ ...replies, include_all_metadata: true })
  expect(without.messages?.map(({ text }) => text)).toEqual(["a question", "a better answer"])
  expect(without.messages?.[1]?.metadata).toBeUndefined()
  expect(found.messages?.[1]?.metadata).toEqual(metadata)
  expect((await web.conversations.history({ channel: "C1" })).messages).toMatchObject([{ text: "a question" }])
  await web.chat.delete({ channel: "C1", ts })
  expect(slack.chat("C1").map(({ text }) => text)).toEqual(["a question"])
  await expect(web.chat.update({ channel: "C1", ts, text: "x" })).rejects.toThrow("message_not_found")
})

it("asks by buttons, hears the press, and answers only to the person", async () => {
  await using all = await open()
  const { slack, web, client } = all
  slack.open("D1001")
  await client.start()
  const button = {
    type: "button" as const,
    action_id: "a1",
    value: "yes",
    text: { type: "plain_text" as const, text: "Yes" }
  }
  await web.chat.postMessage({ channel: "D1001", text: "May I?", blocks: [{ type: "actions", elements: [button] }] })
  const presses = heardBy(client, "interactive")
  const [question] = slack.chat("D1001")
  if (question === undefined) throw new Error("no question")
  slack.press(question, "Yes")
  await slack.until(() => slack.acknowledgements()[0])
  const [press] = presses
  expect(press).toMatchObject({ type: "block_actions", actions: [{ action_id: "a1", value: "yes" }] })
  expect(slack.acknowledgements()).toMatchObject([{ text: "" }])
  const answered = await fetch(String(press?.["response_url"]), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ response_type: "ephemeral", replace_original: false, text: "Gladly" })
  })
  expect([answered.status, slack.acknowledgements().map(({ text }) => text)]).toEqual([200, ["Gladly"]])
})

it("uploads a file in three steps, and reads one of a person", async () => {
  await using all = await open()
  const { slack, web } = all
  slack.open("D1001")
  await web.filesUploadV2({
    channel_id: "D1001",
    filename: "a.txt",
    file: Buffer.from("hello"),
    initial_comment: "here"
  })
  const [sent] = slack.chat("D1001")
  expect(sent).toMatchObject({ isOurs: true, text: "here", files: [{ name: "a.txt", bytes: 5 }] })
  if (sent !== undefined) expect(Buffer.from(slack.fileOf(sent) ?? []).toString()).toBe("hello")
  const post = slack.say("look", { document: { name: "b.txt", content: "from a person" } })
  const { file } = await web.files.info({ file: post.files[0]?.id ?? "" })
  const link = file?.url_private_download ?? ""
  const withToken = await fetch(link, { headers: { authorization: `Bearer ${slack.token}` } })
  expect(await withToken.text()).toBe("from a person")
  const without = await fetch(link)
  expect([without.status, without.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
})
