/** Actions of people and platforms on chats, the bot's updates about them, and its lost permissions. */
import { describe, expect, it } from "vitest"
import { TelegramServer, type TelegramServerOptions } from "../../../src/testing.ts"
import { idOf, post } from "./client.ts"

const [ann, ben] = [1_001, { id: 1_002, name: "Ben" }]
const [group, supergroup] = [-55, -1_000_000_000_055]

const open = async (options: TelegramServerOptions = {}) => {
  const tg = await TelegramServer.start({ pace: false, ...options })
  const send = (chat_id: number, params: object = {}) => post(tg, "sendMessage", { chat_id, text: "x", ...params })
  const received = () => tg.pending().map((update) => Object.keys(update).at(-1))
  const texts = () => tg.pending().map((update) => JSON.parse(JSON.stringify(update)).message?.text)
  return { tg, send, heard: received, texts }
}

describe("a chat", () => {
  it.each([
    ["blocked", ann, "Forbidden: bot was blocked by the user"],
    ["deactivated", ann, "Forbidden: user is deactivated"],
    ["kicked", group, "Forbidden: bot was kicked from the group chat"],
    ["left", group, "Forbidden: bot is not a member of the group chat"],
    ["kicked", supergroup, "Forbidden: bot was kicked from the supergroup chat"],
    ["left", supergroup, "Forbidden: bot is not a member of the supergroup chat"]
  ] as const)("takes nothing of a bot that was %s in %d", async (happening, chat, why) => {
    const { tg, send, heard: received } = await open()
    await using _ = tg
    tg.open(chat)
    tg.member(chat, happening)
    expect(await send(chat)).toMatchObject({ status: 403, description: why })
    expect(received()).toEqual(happening === "deactivated" ? [] : ["my_chat_member"])
    // A supergroup cannot even be looked at.
    expect((await post(tg, "getChat", { chat_id: chat })).status).toBe(chat === supergroup ? 403 : 200)
  })

  it("takes messages of a bot again that was unblocked, by a word of the person as well", async () => {
    const { tg, send } = await open()
    await using _ = tg
    tg.open(ann, { bot: "unstarted" })
    expect((await send(ann)).description).toBe("Forbidden: bot can't initiate conversation with a user")
    tg.say("/start")
    tg.member(ann, "blocked")
    tg.say("here I am")
    expect((await send(ann)).status).toBe(200)
  })

  it("has another id when it becomes a supergroup, and numbers of its own", async () => {
    const { tg, send } = await open({ privacyMode: false })
    await using _ = tg
    tg.say("before", { chat: group })
    const next = tg.migrate(group)
    expect(next).toBe(supergroup)
    expect(await send(group)).toMatchObject({
      status: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      migrateTo: supergroup
    })
    expect((await send(supergroup)).status).toBe(200)
    expect(tg.pending()).toMatchObject([
      { message: { text: "before" } },
      { message: { migrate_to_chat_id: supergroup, chat: { id: group, type: "group" } } },
      { message: { migrate_from_chat_id: group, chat: { id: supergroup, type: "supergroup" } } }
    ])
    expect(tg.chat(supergroup).map(({ messageId }) => messageId)).toEqual([1, 2])
  })

  it("says who is in it", async () => {
    const { tg, heard: received } = await open()
    await using _ = tg
    tg.say("/hello", { chat: supergroup, from: ben })
    const statusOf = async (user_id: number) => {
      const { result } = await post(tg, "getChatMember", { chat_id: supergroup, user_id })
      return JSON.parse(JSON.stringify(result)).status
    }
    expect([await statusOf(ben.id), await statusOf(tg.me.id)]).toEqual(["member", "member"])
    tg.member(supergroup, "left", { who: ben })
    tg.member(supergroup, "promoted")
    expect([await statusOf(ben.id), await statusOf(tg.me.id)]).toEqual(["left", "administrator"])
    expect(received()).toEqual(["message", "message", "my_chat_member"])
  })
})

describe("a topic", () => {
  it("takes messages while it is open; the one of General has no number", async () => {
    const { tg, send } = await open()
    await using _ = tg
    tg.topic(supergroup, 7, "open", "Builds")
    const sent = await send(supergroup, { message_thread_id: 7 })
    expect(sent.result).toMatchObject({ message_thread_id: 7, is_topic_message: true })
    // A reply stays in the topic of what it replies to.
    const reply = await send(supergroup, { reply_parameters: { message_id: idOf(sent) } })
    expect(reply.result).toMatchObject({ message_thread_id: 7, reply_to_message: { message_id: idOf(sent) } })
    for (const message_thread_id of [1, 404])
      expect((await send(supergroup, { message_thread_id })).description).toBe("Bad Request: message thread not found")
    tg.topic(supergroup, 7, "closed")
    expect((await send(supergroup, { message_thread_id: 7 })).description).toBe("Bad Request: TOPIC_CLOSED")
    tg.topic(supergroup, 7, "deleted")
    expect((await send(supergroup, { message_thread_id: 7 })).description).toBe("Bad Request: message thread not found")
    expect(tg.chat(supergroup, 7)).toEqual([])
    expect((await send(supergroup)).status).toBe(200)
  })

  it("is where a person writes, but in General, and in no group without topics", async () => {
    const { tg, send } = await open({ privacyMode: false })
    await using _ = tg
    tg.say("in a topic", { chat: supergroup, thread: 9 })
    tg.say("in general", { chat: supergroup, thread: 1 })
    const plain = -1_000_000_000_066
    const root = tg.say("root", { chat: plain })
    tg.say("reply", { chat: plain, replyTo: root })
    expect(tg.pending()).toMatchObject([
      { message: { message_thread_id: 9, is_topic_message: true } },
      { message: { text: "in general" } },
      { message: { text: "root" } },
      { message: { text: "reply", message_thread_id: root.messageId } }
    ])
    const [, general, , reply] = tg.pending().map((update) => JSON.parse(JSON.stringify(update)).message)
    expect([general.message_thread_id, reply.is_topic_message]).toEqual([undefined, undefined])
    expect((await send(plain, { message_thread_id: 404 })).status).toBe(200)
    expect((await send(ann, { message_thread_id: 404 })).status).toBe(400)
  })
})

describe("in a group", () => {
  const content = async ({ tg, send }: Awaited<ReturnType<typeof open>>) => {
    tg.open(supergroup)
    const messageId = idOf(await send(supergroup))
    const options = { chat: supergroup, from: ben }
    for (const text of ["hello", "/status", "/status@test_bot", "/status@other_bot", "@test_bot look", "@other look"])
      tg.say(text, options)
    tg.say("a reply", { ...options, replyTo: messageId })
  }

  it("a bot hears commands, its name and replies", async () => {
    const all = await open()
    await using _ = all.tg
    await content(all)
    expect(all.texts()).toEqual(["/status", "/status@test_bot", "@test_bot look", "a reply"])
  })

  it.each([
    ["without privacy mode", { privacyMode: false }, false],
    ["as administrator", {}, true]
  ] as const)("a bot hears everything %s", async (_name, options, isAdministrator) => {
    const all = await open(options)
    await using _ = all.tg
    all.tg.open(supergroup, isAdministrator ? { bot: "administrator" } : {})
    await content(all)
    expect(all.texts()).toHaveLength(7)
    expect((await post(all.tg, "getMe")).result).toMatchObject({
      can_read_all_group_messages: options !== undefined && "privacyMode" in options
    })
  })
})

describe("a person", () => {
  it("writes, changes, takes back, forwards and presses; of what is taken back the bot hears nothing", async () => {
    const { tg, send, heard: received } = await open()
    await using _ = tg
    const message = tg.say("/start now https://example.com", { forwarded: ben })
    tg.edit(message, "/stop")
    tg.withdraw(message)
    const reply_markup = { inline_keyboard: [[{ text: "Yes", callback_data: "y" }]] }
    await send(ann, { reply_markup })
    const [question] = tg.chat(ann)
    if (question === undefined) throw new Error("no message")
    const press = tg.press(question, "Yes", { from: ben })
    expect(tg.pending()).toMatchObject([
      {
        message: {
          from: { id: ann, first_name: "Ann" },
          chat: { id: ann, type: "private" },
          forward_origin: { sender_user: { first_name: "Ben" } },
          entities: [
            { type: "bot_command", offset: 0, length: 6 },
            { type: "url", offset: 11, length: 19 }
          ]
        }
      },
      { edited_message: { text: "/stop", message_id: message.messageId } },
      { callback_query: { id: press, data: "y", from: { id: ben.id }, message: { reply_markup } } }
    ])
    tg.say("", { more: { sticker: { file_id: "s", emoji: "🐢" } } })
    expect(tg.pending().at(-1)).toMatchObject({ message: { from: { id: ann }, sticker: { emoji: "🐢" } } })
    expect(received()).toHaveLength(4)
    expect(() => tg.edit(question, "mine")).toThrow("is the bot's")
    expect(() => tg.withdraw(message)).toThrow("unknown message 1 in chat 1001")
  })
})
