/** Updates of Telegram → what a channel hears: a row for each form, and what is passed over. */
import { assert, describe, it } from "vitest"
import { makeBatches } from "../../../src/channels/telegram/incoming/poll.ts"

const me = { id: 42, username: "Reins_Bot" }
const ann = { id: 7, is_bot: false, first_name: "Ann", last_name: "Lee", username: "ann" }
const direct = { id: 7, type: "private", first_name: "Ann" }
const group = { id: -100_5, type: "supergroup", title: "Team" }

const message = (more: object, chat: object = direct) => ({ message_id: 3, date: 1_000, chat, from: ann, ...more })

/** Without what is undefined. */
const asSent = (update: object): object => JSON.parse(JSON.stringify(update))

const hear = (...updates: ReadonlyArray<object>) =>
  makeBatches(me)(updates.map((update, at) => ({ update_id: 100 + at, ...asSent(update) })))

const one = (update: object) => hear(update).heard[0]?.incoming

const content = (more: object, chat: object = direct) => {
  const incoming = one({ message: message(more, chat) })
  if (incoming?._tag !== "Message") throw new Error(`it is ${incoming?._tag}`)
  return incoming.message
}

const entity = (text: string, part: string, type: string, more: object = {}) => ({
  text,
  entities: [{ type, offset: text.indexOf(part), length: part.length, ...more }]
})

describe("updates of Telegram", () => {
  it("are stops of drafts, by the person of the chat", () => {
    const stop = (more: object) => one({ stopped_message_generation: { chat: direct, draft_id: 77, ...more } })
    const expected = {
      _tag: "StopAsked",
      conversation: { channel: "telegram", accountId: "42", chatId: "7" },
      updateId: "7/stop/100",
      chat: "direct",
      sender: { id: "7", isBot: false },
      draftId: 77
    }
    assert.deepStrictEqual<unknown>(stop({}), expected)
    const conversation = { ...expected.conversation, threadId: "9" }
    assert.deepStrictEqual<unknown>(stop({ message_thread_id: 9 }), { ...expected, conversation })
    // A group has no person whose id it could have.
    assert.isUndefined(stop({ chat: group }))
    assert.isUndefined(stop({ draft_id: "77" }))
  })

  it("are messages with their ids, sender and time", () => {
    assert.deepStrictEqual(content({ text: "hello" }), {
      conversation: { channel: "telegram", accountId: "42", chatId: "7" },
      updateId: "7/3",
      messageId: "3",
      chat: "direct",
      sentAt: 1_000_000,
      sender: { id: "7", name: "Ann Lee", username: "ann", isBot: false },
      text: "hello",
      attachments: [],
      addressed: true
    })
  })

  it.each([
    ["a topic", { message_thread_id: 9, is_topic_message: true }, "9"],
    ["General, by its number", { message_thread_id: 1, is_topic_message: true }, undefined],
    ["replies without topics", { message_thread_id: 9 }, undefined]
  ] as const)("have a thread in topics alone: %s", (_, more, threadId) => {
    assert.strictEqual(content({ text: "x", ...more }, group).conversation.threadId, threadId)
  })

  const bots = { id: 42, is_bot: true, first_name: "Reins" }
  const other = { id: 8, is_bot: false, first_name: "Ben" }
  const rows: ReadonlyArray<readonly [string, object, boolean]> = [
    ["plain words", { text: "hello" }, false],
    ["a mention", entity("hi @reins_bot!", "@reins_bot", "mention"), true],
    ["the name without a mark", { text: "hi @reins_bot" }, false],
    ["another name", entity("hi @other_bot", "@other_bot", "mention"), false],
    ["a mention without a name", entity("hi Reins", "Reins", "text_mention", { user: bots }), true],
    ["a mention of another person", entity("hi Ben", "Ben", "text_mention", { user: other }), false],
    [
      "a caption",
      {
        caption: "@reins_bot",
        caption_entities: [{ type: "mention", offset: 0, length: 10 }],
        photo: [{ file_id: "a" }]
      },
      true
    ],
    ["a command", entity("/stop", "/stop", "bot_command"), true],
    ["a command to it", entity("/stop@reins_bot now", "/stop@reins_bot", "bot_command"), true],
    ["a command to another", entity("/stop@other_bot", "/stop@other_bot", "bot_command"), false],
    [
      "a command to another, as a reply to it",
      {
        ...entity("/stop@other_bot", "/stop@other_bot", "bot_command"),
        reply_to_message: { message_id: 2, from: bots }
      },
      false
    ],
    ["a command in the middle", entity("what is /stop", "/stop", "bot_command"), false],
    ["a reply to it", { text: "yes", reply_to_message: { message_id: 2, from: bots } }, true],
    ["a reply to another", { text: "yes", reply_to_message: { message_id: 2, from: other } }, false],
    [
      "the beginning of a topic that it made",
      {
        text: "yes",
        is_topic_message: true,
        message_thread_id: 2,
        reply_to_message: { message_id: 2, from: bots, forum_topic_created: {} }
      },
      false
    ]
  ]
  it.each(rows)("are meant for the bot or not, in a group: %s", (_, more, isFor) => {
    assert.strictEqual(content(more, group).addressed, isFor)
  })

  it.each([
    ["its name behind a command", entity("/stop@Reins_Bot now", "/stop@Reins_Bot", "bot_command"), "/stop now"],
    ["another's name", entity("/stop@other_bot", "/stop@other_bot", "bot_command"), "/stop@other_bot"],
    ["its name in front", entity("@Reins_Bot, stop", "@Reins_Bot", "mention"), "stop"],
    ["its name inside", entity("ask @Reins_Bot", "@Reins_Bot", "mention"), "ask @Reins_Bot"],
    ["a link", entity("see here.", "here", "text_link", { url: "https://a.example" }), "see here (https://a.example)."],
    ["nothing", {}, undefined]
  ] as const)("have their words: %s", (_, more, text) => {
    const incoming = one({ message: message(more) })
    assert.strictEqual(incoming?._tag === "Message" ? incoming.message.text : undefined, text)
  })

  it("name the speaker: a chat that speaks for itself is not a person", () => {
    const channel = { id: -100_77, type: "channel", title: "News" }
    const anonymous = { id: 1_087_968_824, is_bot: true, first_name: "Group" }
    assert.strictEqual(content({ text: "x", sender_chat: channel }, group).sender.id, "-10077")
    assert.strictEqual(content({ text: "x", from: anonymous, sender_chat: group }, group).sender.id, "-1005")
    assert.strictEqual(content({ text: "x", from: undefined }, group).sender.id, "-1005")
    assert.notMatch(content({ text: "x", from: undefined }).sender.id, /^\d+$/)
    assert.isTrue(content({ text: "x", from: { ...ann, is_bot: true } }).sender.isBot)
  })

  it("have their files, of a photo the largest", () => {
    const file = { file_id: "f", file_name: "a.pdf", mime_type: "application/pdf", file_size: 5 }
    const photo = [
      { file_id: "s", width: 90, height: 60, file_size: 9 },
      { file_id: "l", width: 1280, height: 960 },
      { file_id: "m", width: 320, height: 240, file_size: 99 }
    ]
    const kinds = (more: object) => content(more).attachments.map(({ kind, fileId }) => `${kind} ${fileId}`)
    assert.deepStrictEqual(content({ document: file }).attachments, [
      { kind: "document", fileId: "f", name: "a.pdf", mimeType: "application/pdf", bytes: 5 }
    ])
    assert.deepStrictEqual(content({ photo, caption: "look" }).attachments, [
      { kind: "image", fileId: "l", mimeType: "image/jpeg" }
    ])
    assert.strictEqual(content({ photo, caption: "look" }).text, "look")
    assert.deepStrictEqual(kinds({ voice: file }), ["voice f"])
    assert.deepStrictEqual(kinds({ audio: file }), ["audio f"])
    assert.deepStrictEqual(kinds({ video_note: file }), ["video f"])
    assert.deepStrictEqual(kinds({ animation: file, document: file }), ["video f"])
  })

  it("are albums, meant for the bot in all parts where one of them is", () => {
    const part = (message_id: number, more: object) => ({
      message: {
        ...message({ photo: [{ file_id: `f${message_id}` }], media_group_id: "g", ...more }, group),
        message_id
      }
    })
    const named = { caption: "@reins_bot", caption_entities: [{ type: "mention", offset: 0, length: 10 }] }
    const batch = makeBatches(me)
    const received = [
      ...batch([
        { update_id: 1, ...part(1, {}) },
        { update_id: 2, ...part(2, named) }
      ]).heard,
      ...batch([{ update_id: 3, ...part(3, {}) }]).heard
    ]
    assert.deepStrictEqual(
      received.map(
        ({ incoming }) => incoming._tag === "Message" && [incoming.message.addressed, incoming.message.group]
      ),
      Array.from({ length: 3 }, () => [true, "g"])
    )
  })

  it("are edits, presses, leavings and moves", () => {
    const edited = one({ edited_message: message({ text: "now", edit_date: 5 }) })
    assert.deepStrictEqual(edited?._tag === "Edited" && [edited.updateId, edited.messageId, edited.text], [
      "7/3/5",
      "3",
      "now"
    ])
    const pressed = one({
      callback_query: {
        id: "q",
        from: ann,
        data: "r:1",
        message: { message_id: 4, date: 0, chat: group, is_topic_message: true, message_thread_id: 9 }
      }
    })
    assert.deepStrictEqual(pressed, {
      _tag: "Pressed",
      conversation: { channel: "telegram", accountId: "42", chatId: "-1005", threadId: "9" },
      updateId: "press/q",
      chat: "group",
      sender: { id: "7", name: "Ann Lee", username: "ann", isBot: false },
      messageId: "4",
      data: "r:1",
      press: { id: "q" }
    })
    const left = one({ my_chat_member: { chat: group, new_chat_member: { status: "kicked" } } })
    assert.strictEqual(left?._tag, "Left")
    const moved = one({ message: message({ migrate_to_chat_id: -100_9 }, { id: -5, type: "group" }) })
    assert.deepStrictEqual(moved?._tag === "Moved" && [moved.conversation.chatId, moved.chatId], ["-5", "-1009"])
    assert.isTrue(content({ text: "x", forward_origin: { type: "user" } }).forwarded)
  })

  it("are skipped if they contain no message, and never asked for again", () => {
    const batch = hear(
      { message: message({ new_chat_members: [ann] }, group) },
      { poll: { id: "p" } },
      { my_chat_member: { chat: group, new_chat_member: { status: "member" } } },
      { callback_query: { id: "q", from: ann, game_short_name: "g" } },
      { edited_message: message({ location: {} }) },
      { message: message({ migrate_from_chat_id: -5 }, group) },
      {}
    )
    assert.deepStrictEqual([batch.heard, batch.next, batch.passed, batch.malformed], [[], 107, 7, []])
  })

  it("are passed over where they cannot be read, and what comes behind is heard", () => {
    const batch = makeBatches(me)([
      { update_id: 1, message: { text: "no chat" } },
      { update_id: 2, message: message({ text: 5 }) },
      "no update",
      null,
      { message: message({ text: "no id" }) },
      { update_id: 3, message: message({ text: "good" }) },
      { update_id: 4, message: message({ sticker: {} }) }
    ])
    assert.deepStrictEqual(
      batch.heard.map(({ id }) => id),
      [3, 4]
    )
    assert.deepStrictEqual([batch.next, batch.malformed], [5, [1, 2, undefined, undefined, undefined]])
    assert.isUndefined(makeBatches(me)([{}]).next)
    assert.strictEqual(makeBatches(me)([{ update_id: 9 }, { update_id: 2 }]).next, 3)
  })
})
