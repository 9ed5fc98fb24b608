/**
 * A foreign client is the judge of the server: grammY's own `Bot` works with it as with Telegram, and a person sees what the
 * bot's author meant.
 */

import { Bot, GrammyError, HttpError, InlineKeyboard, InputFile, InputMediaBuilder } from "grammy"
import { expect, it } from "vitest"
import { TelegramServer, type TelegramServerOptions } from "../../../src/testing.ts"
import { autoRetry } from "./autoRetry.ts"

const group = -1_000_000_000_042

const open = async (options: TelegramServerOptions = {}) => {
  const tg = await TelegramServer.start(options)
  const bot = new Bot(tg.token, { client: { apiRoot: tg.url } })
  const failures: Array<unknown> = []
  bot.catch(({ error }) => void failures.push(error))
  /** A poll that has just begun would be waited for: time passes before the bot ends. */
  const stop = async () => {
    const stopping = bot.stop()
    tg.advance(3_000)
    await stopping
    await tg[Symbol.asyncDispose]()
  }
  return { tg, bot, failures, [Symbol.asyncDispose]: stop }
}

const known = (tg: TelegramServer, text: string, chat = 1_001) =>
  tg.until(() => tg.chat(chat).find((message) => message.isOurs && message.text === text))

it("serves commands, presses, edits, files and reactions", async () => {
  await using all = await open()
  const { tg, bot, failures } = all
  await bot.api.setMyCommands([{ command: "start", description: "begins" }])
  bot.command("start", (ctx) =>
    ctx.reply("Shall I?", { reply_markup: new InlineKeyboard().text("Yes", "y").text("No", "n") })
  )
  bot.callbackQuery("y", async (ctx) => {
    await ctx.answerCallbackQuery("Gladly")
    await ctx.editMessageText("It is done.")
  })
  bot.on("message:document", async (ctx) => {
    const { file_path } = await ctx.getFile()
    const content = await (await fetch(`${tg.url}/file/bot${tg.token}/${file_path}`)).text()
    await ctx.react("👀")
    await ctx.replyWithChatAction("upload_document")
    await ctx.replyWithDocument(new InputFile(new TextEncoder().encode(content.toUpperCase()), "b.txt"), {
      caption: "in capitals",
      reply_parameters: { message_id: ctx.message.message_id }
    })
  })
  bot.on("edited_message", (ctx) => ctx.reply(`changed to ${ctx.editedMessage.text}`))
  bot.on("message:photo", (ctx) =>
    ctx.replyWithMediaGroup([
      InputMediaBuilder.photo(new InputFile(new Uint8Array([1]), "1.png")),
      InputMediaBuilder.photo(new InputFile(new Uint8Array([2]), "2.png"), { caption: "an album" })
    ])
  )
  const running = bot.start()
  const start = tg.say("/start")
  const question = await known(tg, "Shall I?")
  tg.press(question, "Yes")
  await known(tg, "It is done.")
  tg.edit(start, "/begin")
  await known(tg, "changed to /begin")
  tg.say("for you", { document: { name: "a.txt", content: "hello" } })
  const back = await known(tg, "in capitals")
  // The album would be more than a burst.
  tg.advance(5_000)
  tg.say("", { photo: { content: "1" } })
  await known(tg, "an album")
  expect(new TextDecoder().decode(tg.fileOf(back))).toBe("HELLO")
  expect(tg.acknowledgements()).toMatchObject([{ text: "Gladly" }])
  expect(tg.commands()).toEqual([{ command: "start", description: "begins" }])
  expect(tg.render(1_001)).toBe(
    [
      "#1 Ann (edited)",
      "   /begin",
      "#2 🤖 Bot (edited)",
      "   It is done.",
      "#3 🤖 Bot",
      "   changed to /begin",
      "#4 Ann",
      "   📎 a.txt, 5 B",
      "   for you",
      "   👀",
      "#5 🤖 Bot (reply to 4)",
      "   📎 b.txt, 5 B",
      "   in capitals",
      "#6 Ann",
      "   📎 photo, 1 B",
      "#7 🤖 Bot",
      "   📎 1.png, 1 B",
      "#8 🤖 Bot",
      "   📎 2.png, 1 B",
      "   an album"
    ].join("\n")
  )
  expect([failures, tg.violations()]).toEqual([[], []])
  void running
})

it("shows drafts, and tells of their stop", async () => {
  await using all = await open()
  const { tg, bot, failures } = all
  bot.on("message:text", (ctx) => ctx.api.sendMessageDraft(ctx.chat.id, 7, "it is being made", { can_stop: true }))
  bot.on("stopped_message_generation", (ctx) => ctx.reply(`stopped ${ctx.stoppedMessageGeneration.draft_id}`))
  void bot.start()
  tg.say("make it")
  const { draftId, text } = await tg.until(() => tg.draft(1_001))
  expect(text).toBe("it is being made")
  tg.stopDraft(1_001)
  await known(tg, `stopped ${draftId}`)
  expect([tg.draft(1_001), failures, tg.violations()]).toEqual([undefined, [], []])
})

it("serves a group with topics, where the bot is named", async () => {
  await using all = await open()
  const { tg, bot } = all
  tg.topic(group, 5, "open", "Builds")
  bot.on("message:text", (ctx) => ctx.reply(`heard ${ctx.msg.text}`))
  void bot.start()
  tg.say("not for you", { chat: group, thread: 5 })
  tg.say("@test_bot build it", { chat: group, thread: 5 })
  const answer = await known(tg, "heard @test_bot build it", group)
  expect(answer.thread).toBe(5)
  expect(tg.chat(group).filter(({ isOurs }) => isOurs)).toHaveLength(1)
})

it("tells of a 429 with its seconds, which a bot waits for", async () => {
  await using all = await open()
  const { tg, bot } = all
  tg.open(1_001)
  const waited: Array<number> = []
  bot.api.config.use(
    autoRetry(async (seconds) => {
      waited.push(seconds)
      tg.advance(seconds * 1_000)
    })
  )
  tg.fail("sendMessage", { retryAfter: 7 }, 2)
  await bot.api.sendMessage(1_001, "at last")
  expect(waited).toEqual([7, 7])
  expect(tg.chat(1_001).map(({ text }) => text)).toEqual(["at last"])
  expect(tg.violations()).toEqual([])
})

it("fails as grammY says: refused calls, and unknown outcomes", async () => {
  await using all = await open()
  const { tg, bot } = all
  tg.open(1_001)
  const failing = (text: string) => bot.api.sendMessage(1_001, text).catch((error: unknown) => error)
  const long = await failing("x".repeat(4_097))
  expect(long).toBeInstanceOf(GrammyError)
  expect(long).toMatchObject({ error_code: 400, description: "Bad Request: message is too long" })
  for (const fault of ["cutAfter", "badGateway", "invalidJson"] as const) {
    tg.fail("sendMessage", fault)
    expect(await failing(fault)).toBeInstanceOf(HttpError)
  }
  expect(tg.chat(1_001).map(({ text }) => text)).toEqual(["cutAfter", "invalidJson"])
})

it("ends the polling of a bot that is not alone, as Telegram does", async () => {
  await using all = await open()
  const { tg, bot } = all
  const running = bot.start().catch((error: unknown) => error)
  await tg.until(() => tg.listeners() === 1 || undefined)
  const other = new Bot(tg.token, { client: { apiRoot: tg.url } })
  void other.start()
  expect(await running).toMatchObject({ error_code: 409, method: "getUpdates" })
  await tg.until(() => tg.listeners() === 1 || undefined)
  const stopping = other.stop()
  tg.advance(3_000)
  await stopping
})
