/** What Slack sends → what the bridge hears; pure. */
import { assert, describe, it } from "@effect/vitest"
import { makeDecode } from "../../../src/channels/slack/incoming/decode.ts"
import { mentions, plainText } from "../../../src/channels/slack/incoming/plainText.ts"

const decode = makeDecode({ userId: "UBOT", teamId: "T1" }, "A1")
const ts = "1700000000.000100"
const said = { type: "message", ts, user: "U1", text: "hello", team: "T1" }

const heard = (chatId: string, message: object) => {
  const found = decode.said(chatId, message)
  return found === undefined ? undefined : decode.message(found, false)
}

describe("a message", () => {
  it("is heard in a direct chat", () => {
    assert.deepStrictEqual(heard("D1A", said), {
      _tag: "Message",
      message: {
        conversation: { channel: "slack", accountId: "A1", chatId: "D1A" },
        updateId: `D1A:${ts}`,
        messageId: ts,
        chat: "direct",
        sentAt: 1_700_000_000_000,
        sender: { id: "U1", isBot: false },
        text: "hello",
        attachments: [],
        addressed: true
      }
    })
  })

  it("begins a conversation in a channel, and goes on in a thread", () => {
    const inChannel = heard("C1A", { ...said, text: "<@UBOT> stop" })
    assert.deepInclude(inChannel?._tag === "Message" && inChannel.message.conversation, { threadId: ts })
    assert.deepInclude(inChannel?._tag === "Message" && inChannel.message, { text: "stop", addressed: true })
    const inThread = heard("C1A", { ...said, thread_ts: "1600000000.000100" })
    assert.deepInclude(inThread?._tag === "Message" && inThread.message.conversation, { threadId: "1600000000.000100" })
    assert.deepInclude(inThread?._tag === "Message" && inThread.message, { addressed: false })
  })

  it.each([
    ["of the bot itself", { user: "UBOT" }],
    ["of another app", { bot_id: "B1" }],
    ["of nobody", { user: undefined }],
    ["that tells of the chat", { subtype: "channel_join" }],
    ["with a wrong time", { ts: "yesterday" }]
  ])("%s is not heard", (_, change) => {
    assert.isUndefined(heard("C1A", { ...said, ...change }))
  })

  it("of another workspace has a sender of its own", () => {
    const found = decode.said("C1A", { ...said, user_team: "T2" })
    assert.strictEqual(found?.sender.id, "T2/U1")
  })

  it("has its files", () => {
    const files = [
      { id: "F1", name: "a.png", mimetype: "image/png", size: 5 },
      { id: "F2", mimetype: "audio/mp4", subtype: "slack_audio" },
      { name: "no id" }
    ]
    const found = heard("D1A", { ...said, subtype: "file_share", files })
    assert.deepStrictEqual(found?._tag === "Message" && found.message.attachments, [
      { kind: "image", fileId: "F1", name: "a.png", mimeType: "image/png", bytes: 5 },
      { kind: "voice", fileId: "F2", mimeType: "audio/mp4" }
    ])
  })

  it.each([
    ["!stop", "/stop"],
    ["!STOP now", "/STOP now"],
    ["!important: read this", "!important: read this"],
    ["stop", "stop"]
  ])("%j is %j: Slack takes what begins with a slash", (text, expected) => {
    const found = heard("D1A", { ...said, text })
    assert.strictEqual(found?._tag === "Message" && found.message.text, expected)
  })

  it.each([
    ["a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"],
    ["<@UBOT|reins> look at <https://a.example/x|this>", "look at this (https://a.example/x)"],
    ["<https://a.example>", "https://a.example"],
    ["<mailto:a@b.example|a@b.example>", "a@b.example"],
    ["<@U2> and <@U3|bob> in <#C1|general>, <!here> <!subteam^S1|@ops>", "@U2 and @bob in #general, @here @ops"],
    ["1 &lt; 2 <>", "1 < 2 <>"]
  ])("%j was typed as %j", (text, expected) => {
    assert.strictEqual(plainText(text, "UBOT"), expected)
  })

  it("mentions the bot by its id alone", () => {
    assert.deepStrictEqual(
      ["hi <@UBOT>", "<@UBOT|reins>", "<@UBOTX>", "@UBOT"].map((text) => mentions(text, "UBOT")),
      [true, true, false, false]
    )
  })
})

describe("a change", () => {
  const changed = (message: object, before: object = said) =>
    decode.edited({
      type: "message",
      subtype: "message_changed",
      channel: "D1A",
      event_ts: "1700000009.000100",
      message,
      previous_message: before
    })

  it("has the new text", () => {
    const edited = changed({ ...said, text: "hello, all" })
    assert.deepInclude(edited, { _tag: "Edited", messageId: ts, text: "hello, all" })
  })

  it("without a new text, of the bot, or of another app is none", () => {
    assert.isUndefined(changed({ ...said, attachments: [{ id: 1 }] }))
    assert.isUndefined(changed({ ...said, text: "x" }, { ...said, user: "UBOT" }))
    assert.isUndefined(changed({ ...said, text: "x" }, { ...said, bot_id: "B1" }))
  })

  it("that deletes it has no text, also where a thread hangs on it", () => {
    const gone = decode.edited({ type: "message", subtype: "message_deleted", channel: "D1A", previous_message: said })
    assert.deepStrictEqual(gone?._tag === "Edited" && [gone.messageId, gone.text], [ts, undefined])
    const stone = changed({ ...said, subtype: "tombstone", text: "This message was deleted." })
    assert.deepStrictEqual(stone?._tag === "Edited" && [stone.messageId, stone.text], [ts, undefined])
  })
})

describe("a press", () => {
  const press = {
    type: "block_actions" as const,
    user: { id: "U1", team_id: "T1", name: "ann" },
    channel: { id: "C1A" },
    container: { message_ts: ts },
    message: { ts, thread_ts: "1600000000.000100" },
    response_url: "https://hooks.slack.com/actions/x",
    actions: [{ value: "r:1:allow", action_ts: "1" }] as const
  }
  it("is that of a button in its thread", () => {
    assert.deepInclude(decode.press(press), {
      conversation: { channel: "slack", accountId: "A1", chatId: "C1A", threadId: "1600000000.000100" },
      sender: { id: "U1", username: "ann", isBot: false },
      messageId: ts,
      data: "r:1:allow",
      press: { responseUrl: "https://hooks.slack.com/actions/x" }
    })
  })
  it("without a value is none", () => {
    assert.isUndefined(decode.press({ ...press, actions: [{ action_ts: "1" }] }))
  })
})

describe("the command of the app", () => {
  it.each([
    ["status", "/status"],
    ["/status", "/status"],
    ["", "/help"]
  ])("%j is %j", (text, expected) => {
    const found = decode.command({ text, channel_id: "D1A", user_id: "U1", trigger_id: "t" }, 5)
    assert.deepInclude(found?._tag === "Message" && found.message, { text: expected, addressed: true, updateId: "t" })
  })
})
