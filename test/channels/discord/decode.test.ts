/** Events of Discord → updates of the channel: conversations, threads, who is meant, what is dropped. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { type At, makeDecode } from "../../../src/channels/discord/incoming/decode.ts"
import { makePlaces } from "../../../src/channels/discord/incoming/places.ts"
import { readInteraction, readMessage, type WireMessage } from "../../../src/channels/discord/incoming/wire.ts"
import { ann, bot, room } from "./kit.ts"

const decode = makeDecode(bot)
const id = "1200000000000000001"
const thread = "1100000000000000002"
const user = { id: ann, username: "ann", global_name: "Ann" }
const facts = { isFollowed: false, mention: true as const }
const direct: At = { place: { chatId: "500000000000000001" }, isDirect: true }
const inRoom: At = { place: { chatId: room, guild: "3" }, isDirect: false }
const inThread: At = { place: { chatId: room, threadId: thread, guild: "3", owner: ann }, isDirect: false }

const wire = (more: object = {}): WireMessage =>
  Option.getOrThrow(
    readMessage({
      id,
      channel_id: room,
      type: 0,
      author: user,
      content: "hello",
      timestamp: "2026-01-02T03:04:05.000Z",
      ...more
    })
  )

const messageOf = (more: object = {}, at: At = direct, own: Parameters<typeof decode.message>[2] = facts) => {
  const incoming = decode.message(wire(more), at, own)
  return incoming?._tag === "Message" ? incoming.message : undefined
}

describe("a message of Discord", () => {
  it("has the conversation of its direct chat, or of a thread that begins with it, or of the thread it is in", () => {
    const place = { channel: "discord", accountId: bot }
    assert.deepStrictEqual(messageOf()?.conversation, { ...place, chatId: "500000000000000001" })
    const mention = { content: `<@${bot}> hello`, mentions: [{ id: bot }] }
    assert.deepStrictEqual(messageOf(mention, inRoom)?.conversation, { ...place, chatId: room, threadId: id })
    assert.deepStrictEqual(messageOf({}, inThread)?.conversation, { ...place, chatId: room, threadId: thread })
  })

  it("has its sender with roles, its time, and an id that is always the same", () => {
    const message = messageOf({ member: { roles: ["203040506070809010"] } }, inRoom)
    assert.deepStrictEqual(message?.sender, {
      id: ann,
      ids: ["role:203040506070809010"],
      name: "Ann",
      username: "ann",
      isBot: false
    })
    assert.deepStrictEqual([message?.updateId, message?.messageId], [id, id])
    assert.strictEqual(message?.sentAt, Date.UTC(2026, 0, 2, 3, 4, 5))
  })

  it.each([
    ["direct", {}, direct, facts, true],
    ["without a mention", {}, inRoom, facts, false],
    ["with a mention", { content: `so <@!${bot}>` }, inRoom, facts, true],
    ["as a reply to the bot", { referenced_message: { id: "9", author: { id: bot } }, type: 19 }, inRoom, facts, true],
    [
      "as a reply to a person",
      { referenced_message: { id: "9", author: { id: ann } }, type: 19 },
      inRoom,
      facts,
      false
    ],
    ["in a thread of the bot", {}, inThread, { ...facts, isFollowed: true }, true],
    ["to someone else there", { content: "<@5> look" }, inThread, { ...facts, isFollowed: true }, false],
    ["there, where each needs a mention", {}, inThread, { isFollowed: true, mention: "always" as const }, false]
  ])("is meant for the bot or not: %s", (_what, more, at, own, expected) => {
    assert.strictEqual(messageOf(more, at, own)?.addressed, expected)
  })

  it("has names instead of ids, and not the bot's own at its beginning", () => {
    const mentions = [{ id: bot }, { id: "5", username: "ben", global_name: null }]
    const content = `<@${bot}>, ask <@5> in <#${room}> <a:wave:77> <@6>`
    assert.strictEqual(messageOf({ content, mentions }, inRoom)?.text, `ask @ben in <#${room}> :wave: <@6>`)
    assert.strictEqual(messageOf({ content: `<@${bot}> /status`, mentions }, inRoom)?.text, "/status")
  })

  it("has its files, and knows voice messages and forwarded ones", () => {
    const file = { id: "77", filename: "a.ogg", content_type: "audio/ogg", size: 9 }
    const voice = messageOf({ content: "", attachments: [{ ...file, waveform: "AA" }], flags: 8_192 })
    assert.deepStrictEqual(voice?.attachments, [
      { kind: "voice", fileId: `${room}/${id}/77`, name: "a.ogg", mimeType: "audio/ogg", bytes: 9 }
    ])
    const forwarded = messageOf({
      content: "",
      message_reference: { type: 1, message_id: "8" },
      message_snapshots: [{ message: { content: "elsewhere" } }]
    })
    assert.deepStrictEqual([forwarded?.text, forwarded?.forwarded, forwarded?.replyTo], ["elsewhere", true, undefined])
  })

  it.each([
    ["of the bot", { author: { id: bot } }],
    ["of another bot", { author: { id: "5", bot: true } }],
    ["of a webhook", { webhook_id: "5" }],
    ["of Discord itself", { type: 7 }],
    ["without an author", { author: null }]
  ])("is dropped: %s", (_what, more) => {
    assert.isUndefined(messageOf(more))
  })

  it("is dropped in a server where its text is hidden", () => {
    assert.isUndefined(messageOf({ content: "" }, inRoom))
    assert.isDefined(messageOf({ content: "" }, direct))
  })

  it("is edited with a new text, and not by a link preview", () => {
    const edited_timestamp = "2026-01-02T03:04:06.000Z"
    const incoming = decode.edit(wire({ edited_timestamp, content: "changed" }), inThread)
    assert.deepInclude(incoming, { _tag: "Edited", messageId: id, text: "changed" })
    assert.isUndefined(decode.edit(wire({ edited_timestamp: null }), inThread))
    assert.isUndefined(decode.edit(wire({ edited_timestamp, author: { id: bot } }), inThread))
  })
})

describe("an interaction of Discord", () => {
  const base = { id, token: "t", channel_id: room, member: { user, roles: ["1"] } }
  it("is a press", () => {
    const read = Option.getOrThrow(
      readInteraction({ ...base, type: 3, message: { id: "8" }, data: { custom_id: "r:1:allow" } })
    )
    assert.deepStrictEqual(decode.press(read, inThread), {
      _tag: "Pressed",
      conversation: { channel: "discord", accountId: bot, chatId: room, threadId: thread },
      updateId: `press/${id}`,
      chat: "group",
      sender: { id: ann, ids: ["role:1"], name: "Ann", username: "ann", isBot: false },
      messageId: "8",
      data: "r:1:allow",
      press: { id, token: "t" }
    })
  })
  it("is a command, as if it was written", () => {
    const data = { name: "agent", options: [{ name: "text", value: " claude " }] }
    const read = Option.getOrThrow(readInteraction({ ...base, type: 2, data }))
    const incoming = decode.press(read, inRoom)
    assert.strictEqual(incoming?._tag === "Message" && incoming.message.text, "/agent claude")
    assert.isFalse(incoming?._tag === "Message" && "messageId" in incoming.message)
  })
})

describe("places of Discord", () => {
  it("are chats and threads, of listed channels alone", () => {
    const places = makePlaces(bot, new Map([[room, true]]))
    places.keep({ id: thread, type: 11, guild_id: "3", parent_id: room, owner_id: bot })
    places.keep({ id: room, type: 0, guild_id: "3", parent_id: "77" })
    places.keep({ id: "5", type: 1 })
    assert.deepStrictEqual(places.of(thread), { chatId: room, threadId: thread, guild: "3", owner: bot })
    assert.deepStrictEqual(places.of(room), { chatId: room, guild: "3" })
    assert.isUndefined(places.of("5"))
    assert.deepStrictEqual([places.isListed(room), places.isListed("9")], [true, false])
    assert.isTrue(places.isFollowed({ chatId: room, threadId: thread, owner: bot }))
    assert.isUndefined(places.isFollowed({ chatId: room, threadId: thread, owner: ann }))
    assert.isTrue(makePlaces(bot, new Map([["*", true]])).isListed("9"))
  })
})
