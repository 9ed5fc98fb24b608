/** Each limit of the Bot API: what is just within it is taken, what is just beyond it refused, in Telegram's words. */
import { expect, it } from "vitest"
import { TelegramServer } from "../../../src/testing.ts"
import { idOf, type MethodName, post, still } from "./client.ts"

const chat = 1_001
const send = (params: object) => ["sendMessage", { chat_id: chat, ...params }] as const
const draft = (params: object) => ["sendMessageDraft", { chat_id: chat, draft_id: 1, ...params }] as const
const bold = (offset: number, length: number) => ({ type: "bold", offset, length })
const keyboard = (...buttons: ReadonlyArray<object>) => ({ reply_markup: { inline_keyboard: [buttons] } })
const many = (count: number) => ({
  reply_markup: {
    inline_keyboard: Array.from({ length: count }, (_, index) => [{ text: "b", callback_data: `${index}` }])
  }
})
const commands = (count: number, command = "start", description = "begins") => ({
  commands: Array.from({ length: count }, () => ({ command, description }))
})

/** The method, what is taken, what is not, and why. */
const rows: ReadonlyArray<readonly [string, readonly [MethodName, object], readonly [MethodName, object], string]> = [
  ["text", send({ text: "x".repeat(4_096) }), send({ text: "x".repeat(4_097) }), "message is too long"],
  ["text in UTF-16", send({ text: "😀".repeat(2_048) }), send({ text: "😀".repeat(2_049) }), "message is too long"],
  ["text after trimming", send({ text: `\n ${"x".repeat(4_096)} ` }), send({ text: "" }), "message text is empty"],
  ["blank text", send({ text: " x " }), send({ text: " \n\0\t " }), "text must be non-empty"],
  ["lone surrogates", send({ text: "😀" }), send({ text: "\ud83d" }), "strings must be encoded in UTF-8"],
  ["parse_mode", send({ text: "x" }), send({ text: "x", parse_mode: "HTML" }), "unsupported parse_mode"],
  [
    "an entity's end",
    send({ text: "a😀", entities: [bold(1, 2)] }),
    send({ text: "a😀", entities: [bold(1, 3)] }),
    "entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 4"
  ],
  [
    "an entity's offset",
    send({ text: "a", entities: [bold(0, 1)] }),
    send({ text: "a", entities: [bold(-1, 1)] }),
    "receive an entity with incorrect offset -1"
  ],
  [
    "an entity within a symbol",
    send({ text: "a😀b", entities: [bold(1, 2)] }),
    send({ text: "a😀b", entities: [bold(2, 2)] }),
    "entity begins in a middle of a UTF-16 symbol"
  ],
  [
    "an entity that ends within a symbol",
    send({ text: "a😀b", entities: [bold(0, 3)] }),
    send({ text: "a😀b", entities: [bold(0, 2)] }),
    "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol"
  ],
  [
    "types of entities",
    send({ text: "a", entities: [{ type: "pre", language: "ts", offset: 0, length: 1 }] }),
    send({ text: "a", entities: [{ type: "loud", offset: 0, length: 1 }] }),
    "can't parse MessageEntity: unsupported type specified"
  ],
  [
    "data of a button",
    send({ text: "?", ...keyboard({ text: "b", callback_data: "ä".repeat(32) }) }),
    send({ text: "?", ...keyboard({ text: "b", callback_data: `${"ä".repeat(32)}x` }) }),
    "BUTTON_DATA_INVALID"
  ],
  [
    "empty data of a button",
    send({ text: "?", ...keyboard({ text: "b", callback_data: "x" }) }),
    send({ text: "?", ...keyboard({ text: "b", callback_data: "" }) }),
    "BUTTON_DATA_INVALID"
  ],
  [
    "a button's text",
    send({ text: "?", ...keyboard({ text: "b", url: "https://example.com" }) }),
    send({ text: "?", ...keyboard({ text: " ", callback_data: "x" }) }),
    "inline keyboard button text must be non-empty"
  ],
  [
    "a button that does nothing",
    send({ text: "?", ...keyboard() }),
    send({ text: "?", ...keyboard({ text: "b" }) }),
    "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
  ],
  ["buttons", send({ text: "?", ...many(100) }), send({ text: "?", ...many(101) }), "reply markup is too long"],
  [
    "rows of buttons",
    send({ text: "?", reply_markup: { inline_keyboard: [[]] } }),
    send({ text: "?", reply_markup: { inline_keyboard: [{ text: "b", callback_data: "x" }] } }),
    "inline keyboard row must be an Array"
  ],
  ["chats", send({ text: "x" }), send({ text: "x", chat_id: 404 }), "chat not found"],
  [
    "replies",
    send({ text: "x", reply_parameters: { message_id: 404, allow_sending_without_reply: true } }),
    send({ text: "x", reply_parameters: { message_id: 404 } }),
    "message to be replied not found"
  ],
  [
    "actions",
    ["sendChatAction", { chat_id: chat, action: "typing" }],
    ["sendChatAction", { chat_id: chat, action: "dancing" }],
    "wrong parameter action in request"
  ],
  [
    "reactions",
    ["setMessageReaction", { chat_id: chat, message_id: 1, reaction: [{ type: "emoji", emoji: "👀" }] }],
    ["setMessageReaction", { chat_id: chat, message_id: 1, reaction: [{ type: "emoji", emoji: "🧮" }] }],
    "REACTION_INVALID"
  ],
  ["a draft's text", draft({ text: "x".repeat(4_096) }), draft({ text: "x".repeat(4_097) }), "message is too long"],
  ["an empty draft", draft({}), draft({ text: "x", draft_id: 0 }), "draft_id must be non-zero"],
  [
    "an entity of a draft",
    draft({ text: "a", entities: [bold(0, 1)] }),
    draft({ text: "a", entities: [bold(-1, 1)] }),
    "receive an entity with incorrect offset -1"
  ],
  [
    "drafts to private chats",
    draft({ text: "x" }),
    draft({ text: "x", chat_id: -5 }),
    "drafts can be sent only to private chats"
  ],
  ["commands", ["setMyCommands", commands(100)], ["setMyCommands", commands(101)], "BOT_COMMANDS_TOO_MUCH"],
  [
    "a command's name",
    ["setMyCommands", commands(1, "a_1")],
    ["setMyCommands", commands(1, "Start")],
    "BOT_COMMAND_INVALID"
  ],
  [
    "a command's description",
    ["setMyCommands", commands(1, "a", "x".repeat(256))],
    ["setMyCommands", commands(1, "a", "x".repeat(257))],
    "BOT_COMMAND_DESCRIPTION_INVALID"
  ],
  ["files", ["getMe", {}], ["getFile", { file_id: "404" }], "invalid file_id"],
  [
    "members",
    ["getChatMember", { chat_id: chat, user_id: chat }],
    ["getChatMember", { chat_id: chat, user_id: 404 }],
    "PARTICIPANT_ID_INVALID"
  ]
]

it.each(rows)("limits %s", async (_, taken, refused, why) => {
  await using tg = await TelegramServer.start({ pace: false })
  tg.say("hello")
  tg.open(-5)
  const within = await post(tg, ...taken)
  expect([within.status, within.description]).toEqual([200, ""])
  const before = tg.chat(chat).length
  const beyond = await post(tg, ...refused)
  expect([beyond.status, beyond.description]).toEqual([400, `Bad Request: ${why}`])
  expect(tg.chat(chat)).toHaveLength(before)
  expect(tg.calls().at(-1)).toMatchObject({ method: refused[0], outcome: "answered", description: beyond.description })
})

it("records what breaks a limit, and not what could not be known", async () => {
  await using tg = await TelegramServer.start()
  tg.say("hello")
  await post(tg, "sendMessage", { chat_id: chat, text: "" })
  await post(tg, "sendMessage", { chat_id: chat, text: "x", reply_parameters: { message_id: 404 } })
  expect(tg.violations()).toMatchObject([{ rule: "limit", method: "sendMessage" }])
})

it("takes a text as Telegram does: control characters, edges, and the entities with it", async () => {
  await using tg = await TelegramServer.start()
  tg.say("hello")
  const text = " \r\n a\tb\u202e c  \n"
  await post(tg, "sendMessage", { chat_id: chat, text, entities: [bold(text.indexOf("b"), 6), bold(10, 2)] })
  expect(tg.chat(chat).at(-1)).toMatchObject({ text: "a b c", entities: [bold(2, 3)] })
})

it("keeps a hundred entities, and those that Telegram finds itself not at all", async () => {
  await using tg = await TelegramServer.start()
  tg.say("hello")
  const entities = Array.from({ length: 120 }, (_, index) => bold(index, 1))
  const url = { type: "url", offset: 0, length: 3 }
  await post(tg, "sendMessage", { chat_id: chat, text: "x".repeat(120), entities: [url, ...entities] })
  expect(tg.chat(chat).at(-1)?.entities).toHaveLength(100)
})

it("changes what is the bot's and different, and nothing else", async () => {
  await using tg = await TelegramServer.start({ pace: false })
  const theirs = tg.say("hello")
  const message_id = idOf(await post(tg, "sendMessage", { chat_id: chat, text: "one", ...many(1) }))
  const edit = (params: object) => post(tg, "editMessageText", { chat_id: chat, message_id, text: "one", ...params })
  const same = await edit(many(1))
  expect(same.description).toMatch(/^Bad Request: message is not modified: specified new message content/)
  // Without buttons in the call they go.
  expect((await edit({})).status).toBe(200)
  expect(tg.chat(chat).at(-1)).toMatchObject({ text: "one", buttons: [], edited: true })
  const markup = await post(tg, "editMessageReplyMarkup", { chat_id: chat, message_id, ...many(1) })
  expect([markup.status, tg.chat(chat).at(-1)?.buttons]).toEqual([200, ["b"]])
  expect((await edit({ message_id: 404 })).description).toBe("Bad Request: message to edit not found")
  expect((await edit({ message_id: theirs.messageId })).description).toBe("Bad Request: message can't be edited")
})

it("deletes what is there, for two days, in a direct chat of either side", async () => {
  await using tg = await TelegramServer.start({ ...still, pace: false })
  const [theirs, group] = [tg.say("hello"), tg.say("/hello", { chat: -5 })]
  const del = (chat_id: number, message_id: number) => post(tg, "deleteMessage", { chat_id, message_id })
  expect((await del(chat, theirs.messageId)).status).toBe(200)
  expect((await del(chat, theirs.messageId)).description).toBe("Bad Request: message to delete not found")
  expect((await del(-5, group.messageId)).description).toBe("Bad Request: message can't be deleted")
  const old = idOf(await post(tg, "sendMessage", { chat_id: chat, text: "old" }))
  const older = idOf(await post(tg, "sendMessage", { chat_id: chat, text: "older" }))
  tg.advance(48 * 3_600_000 - 1)
  expect((await del(chat, older)).status).toBe(200)
  tg.advance(1)
  expect((await del(chat, old)).description).toBe("Bad Request: message can't be deleted for everyone")
})

it("shows a draft for 30 s, or until the bot writes there", async () => {
  await using tg = await TelegramServer.start({ ...still, pace: false })
  tg.say("hello")
  const show = (text: string, draft_id = 7) => post(tg, ...draft({ text, draft_id, entities: [bold(0, 1)] }))
  await show("one")
  tg.advance(29_999)
  expect(tg.draft(chat)).toMatchObject({ text: "one", draftId: 7, canStop: false, entities: [bold(0, 1)] })
  tg.advance(1)
  expect(tg.draft(chat)).toBeUndefined()
  await show("two")
  await show("three", 8)
  expect(tg.draft(chat)).toMatchObject({ text: "three", draftId: 8 })
  tg.say("wait")
  expect(tg.draft(chat)).toBeDefined()
  await post(tg, ...send({ text: "done" }))
  expect(tg.draft(chat)).toBeUndefined()
  expect(tg.chat(chat).filter(({ isOurs }) => isOurs)).toHaveLength(1)
})

it("lets a person stop a draft, which goes unless the bot keeps it", async () => {
  await using tg = await TelegramServer.start({ pace: false })
  tg.say("hello")
  const stopped = () => tg.pending().filter((update) => "stopped_message_generation" in update)
  await post(tg, ...draft({ text: "x" }))
  expect(() => tg.stopDraft(chat)).toThrow("has no draft that can be stopped")
  await post(tg, ...draft({ text: "x", can_stop: true, keep_on_stop: true }))
  tg.stopDraft(chat)
  expect(tg.draft(chat)).toBeDefined()
  await post(tg, ...draft({ text: "x", can_stop: true, draft_id: 9 }))
  tg.stopDraft(chat)
  expect([tg.draft(chat), stopped().length]).toEqual([undefined, 2])
  expect(stopped().at(-1)).toMatchObject({ stopped_message_generation: { chat: { id: chat }, draft_id: 9 } })
  await post(tg, "getUpdates", { allowed_updates: ["message"] })
  await post(tg, ...draft({ text: "x", can_stop: true }))
  tg.stopDraft(chat)
  expect(stopped()).toHaveLength(2)
})

it("answers a press once, within its time, in 200 characters", async () => {
  await using tg = await TelegramServer.start(still)
  tg.say("hello")
  await post(tg, "sendMessage", { chat_id: chat, text: "?", ...keyboard({ text: "Yes", callback_data: "y" }) })
  const message = tg.chat(chat).at(-1)
  if (message === undefined) throw new Error("no message")
  const answer = (id: string, text?: string) => post(tg, "answerCallbackQuery", { callback_query_id: id, text })
  const old = "Bad Request: query is too old and response timeout expired or query ID is invalid"
  const first = tg.press(message, "Yes")
  expect((await answer(first, "x".repeat(201))).description).toBe("Bad Request: MESSAGE_TOO_LONG")
  tg.advance(14_999)
  expect((await answer(first, "x".repeat(200))).status).toBe(200)
  expect((await answer(first)).description).toBe(old)
  const late = tg.press(message, { data: "forged" })
  tg.advance(15_000)
  expect((await answer(late)).description).toBe(old)
  expect((await answer("404")).description).toBe(old)
  expect(tg.acknowledgements()).toMatchObject([{ press: first, isAlert: false }])
  expect(() => tg.press(message, "No")).toThrow("has no button No")
})
