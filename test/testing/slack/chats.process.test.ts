/** All that people write and what the app is told of it: channels, mentions, threads, edits, previews, and happenings. */
import { expect, it } from "vitest"
import { SlackServer, type SlackServerOptions } from "../../../src/testing.ts"
import { connect, eventOf, post, still } from "./client.ts"

/** A server with a socket that acknowledges everything. */
const open = async (options: SlackServerOptions = {}) => {
  const slack = await SlackServer.start({ ...still, ...options })
  const client = await connect(slack)
  /** The events so far, when so many have come. */
  const events = async (count: number) => {
    await client.frame(count)
    for (const frame of client.frames.slice(1)) client.acknowledge(frame)
    return client.frames.slice(1).map(eventOf)
  }
  return { slack, events, client }
}

it("tells of a mention in a channel twice, and of one in a direct chat once", async () => {
  const { slack, events } = await open()
  await using _ = slack
  const { messageId } = slack.say("@reins do it", { chat: "C1" })
  slack.say("@reins and here")
  slack.say("not to you, <b> & co.", { chat: "G1", from: { id: "U7", name: "Bo", team: "T7" } })
  const received = await events(4)
  const text = `<@${slack.me.id}> do it`
  expect(received).toMatchObject([
    { type: "message", channel_type: "channel", channel: "C1", ts: messageId, text },
    { type: "app_mention", channel: "C1", ts: messageId, text },
    { type: "message", channel_type: "im", channel: "D1001" },
    { channel_type: "group", text: "not to you, &lt;b&gt; &amp; co.", user: "U7", team: "T7", user_team: "T7" }
  ])
  expect(received[1]).not.toHaveProperty("channel_type")
})

it("has threads: replies, those that the channel sees as well, and roots that are deleted", async () => {
  const { slack, events } = await open()
  await using _ = slack
  const root = slack.say("root", { chat: "C1" })
  const reply = slack.say("reply", { chat: "C1", thread: root.messageId })
  slack.say("for all", { chat: "C1", thread: reply.messageId, broadcast: true })
  slack.withdraw(root)
  slack.withdraw(reply)
  const received = await events(5)
  expect(received.slice(1)).toMatchObject([
    { text: "reply", thread_ts: root.messageId, parent_user_id: "U1001" },
    { text: "for all", thread_ts: root.messageId, subtype: "thread_broadcast" },
    {
      subtype: "message_changed",
      message: { subtype: "tombstone", ts: root.messageId },
      previous_message: { text: "root", thread_ts: root.messageId, reply_count: 2 }
    },
    { subtype: "message_deleted", deleted_ts: reply.messageId, previous_message: { text: "reply" } }
  ])
  expect(slack.chat("C1", root.messageId).map(({ text }) => text)).toEqual(["This message was deleted.", "for all"])
  expect(() => slack.say("x", { chat: "C1", thread: "1.000001" })).toThrow("thread_not_found")
})

it("tells of edits, and of previews, which change no text", async () => {
  const { slack, events } = await open()
  await using _ = slack
  const posted = slack.say("see https://example.com/a")
  slack.preview(posted, "https://example.com/a")
  slack.edit(posted, "never mind")
  const [first, preview, edit] = await events(3)
  const before = "see <https://example.com/a>"
  expect(first).toMatchObject({ text: before })
  expect(preview).toMatchObject({ message: { text: before, attachments: [{}] }, previous_message: { text: before } })
  expect(edit).toMatchObject({
    subtype: "message_changed",
    hidden: true,
    message: { text: "never mind", user: "U1001", edited: { user: "U1001" } },
    previous_message: { text: before }
  })
  expect(slack.chat("D1001")).toMatchObject([{ text: "never mind", edited: true }])
  expect(() => slack.edit({ chat: "D1001", messageId: "1.000001" }, "x")).toThrow("unknown message")
})

it("tells the bot of its own messages, changes and deletions", async () => {
  const { slack, events } = await open()
  await using _ = slack
  slack.open("C1")
  const { ts } = await post(slack, "chat.postMessage", { channel: "C1", text: "mine" })
  await post(slack, "chat.update", { channel: "C1", ts, text: "changed" })
  await post(slack, "chat.delete", { channel: "C1", ts })
  const { botId, id } = slack.me
  expect(await events(3)).toMatchObject([
    { text: "mine", user: id, bot_id: botId },
    { message: { text: "changed", bot_id: botId }, previous_message: { text: "mine" } },
    { deleted_ts: ts }
  ])
})

it("tells of nothing that the app did not subscribe to, has no scope for, or is not there to hear", async () => {
  const { slack, events } = await open({
    scopes: ["im:history", "chat:write"],
    events: ["message.im", "message.groups"]
  })
  await using _ = slack
  slack.say("in a channel", { chat: "C1" })
  slack.say("in a private one", { chat: "G1" })
  slack.member("C1", "kicked")
  slack.say("heard")
  expect(await events(1)).toMatchObject([{ text: "heard" }])
  const { slack: other, events: rest } = await open()
  await using __ = other
  other.member("C1", "kicked")
  other.say("@reins are you there?", { chat: "C1" })
  other.member("C1", "joined")
  other.member("G1", "archived")
  other.revoke()
  other.uninstall()
  expect((await rest(5)).map(({ type }) => type)).toEqual([
    "member_left_channel",
    "member_joined_channel",
    "group_archive",
    "tokens_revoked",
    "app_uninstalled"
  ])
})

it("delivers made-up events, of another workspace too", async () => {
  const { slack, client } = await open()
  await using _ = slack
  slack.hear({ type: "song" }, { team_id: "T7" })
  expect(await client.frame(1)).toMatchObject({ payload: { team_id: "T7", event: { type: "song" } } })
})

it("shows files of people, and what a person sees as text", async () => {
  const { slack, events } = await open()
  await using _ = slack
  const root = slack.say("look", { chat: "C1", document: { name: "a.txt", content: "hello" } })
  slack.say("", { chat: "C1", voice: { content: "sound" }, from: { id: "U7", name: "Bo" } })
  const rich = {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "Seen." }] }]
  }
  const button = { type: "button", action_id: "a", value: "n", text: { type: "plain_text", text: "Next" } }
  const blocks = [rich, { type: "actions", elements: [button] }]
  await post(slack, "chat.postMessage", { channel: "C1", thread_ts: root.messageId, text: "Seen!", blocks })
  const [first, second] = await events(3)
  expect(first).toMatchObject({ subtype: "file_share", files: [{ name: "a.txt", mimetype: "text/plain", size: 5 }] })
  expect(second).toMatchObject({ files: [{ subtype: "slack_audio", mimetype: "audio/mp4" }] })
  expect(slack.chat("C1").at(-1)).toMatchObject({
    text: "Seen.",
    notification: "Seen!",
    notifies: [],
    buttons: ["Next"]
  })
  expect(slack.render("C1")).toBe(
    [
      "#1 Ann",
      "   📎 a.txt, 5 B",
      "   look",
      "#2 Bo",
      "   📎 audio_message.m4a, 5 B",
      "#3 🤖 reins (reply to 1)",
      "   Seen.",
      "   [Next]"
    ].join("\n")
  )
})

it("tells whom a message notifies", async () => {
  const { slack } = await open()
  await using _ = slack
  slack.open("C1")
  const section = (elements: ReadonlyArray<unknown>) => ({
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements }]
  })
  const posted = [
    { text: "<!channel> and <@U7|bo>" },
    { text: "&lt;!channel&gt;", blocks: [section([{ type: "text", text: "<!channel> @everyone" }])] },
    {
      text: "x",
      blocks: [
        section([
          { type: "broadcast", range: "here" },
          { type: "user", user_id: "U7" }
        ])
      ]
    },
    { text: "x", blocks: [{ type: "section", text: { type: "mrkdwn", text: "<!everyone>" } }] }
  ]
  slack.advance(1)
  for (const params of posted) {
    slack.advance(3_000)
    expect(await post(slack, "chat.postMessage", { channel: "C1", ...params })).toMatchObject({ ok: true })
  }
  expect(slack.chat("C1").map(({ notifies }) => notifies)).toEqual([
    ["@channel", "@U7"],
    [],
    ["@here", "@U7"],
    ["@everyone"]
  ])
})
