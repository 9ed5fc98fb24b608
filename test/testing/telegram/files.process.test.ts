/** Bodies of each form, files in both directions, albums, and what a person sees of it all. */
import { expect, it } from "vitest"
import { TelegramServer } from "../../../src/testing.ts"
import { type Answered, post, postBody, still } from "./client.ts"

const chat = 1_001

const open = async () => {
  const tg = await TelegramServer.start({ ...still, pace: false })
  tg.open(chat)
  return tg
}

/** The ids of the files that the bot heard of, in order. */
const heardFiles = (tg: TelegramServer): ReadonlyArray<string> =>
  [...JSON.stringify(tg.pending()).matchAll(/"file_id":"([^"]+)"/g)].map(([, id = ""]) => id)

const pathOf = ({ result }: Answered): string => JSON.parse(JSON.stringify(result)).file_path

it("reads parameters from JSON, from a form and from the query", async () => {
  await using tg = await open()
  const params = {
    chat_id: `${chat}`,
    text: "x",
    disable_notification: "true",
    entities: '[{"type":"bold","offset":0,"length":1}]'
  }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(params)) multipart.set(name, value)
  expect((await post(tg, "sendMessage", { ...params, disable_notification: true })).status).toBe(200)
  expect((await postBody(tg, "sendMessage", new URLSearchParams(params))).status).toBe(200)
  expect((await postBody(tg, "sendMessage", multipart)).status).toBe(200)
  expect((await fetch(`${tg.url}/bot${tg.token}/sendMessage?${new URLSearchParams(params)}`)).status).toBe(200)
  const bold = { type: "bold", offset: 0, length: 1 }
  for (const message of tg.chat(chat)) expect(message).toMatchObject({ text: "x", silent: true, entities: [bold] })
  const broken = { method: "POST", headers: { "content-type": "application/json" }, body: "{" }
  expect((await fetch(`${tg.url}/bot${tg.token}/sendMessage`, broken)).status).toBe(400)
})

it("takes files of a bot, by name, attached, and by their id", async () => {
  await using tg = await open()
  const direct = new FormData()
  direct.set("chat_id", `${chat}`)
  direct.set("caption", "a log")
  direct.set("document", new File(["one"], "log.txt"))
  const sent = await postBody(tg, "sendDocument", direct)
  expect(sent.result).toMatchObject({ caption: "a log", document: { file_name: "log.txt", file_size: 3 } })
  const attached = new FormData()
  attached.set("chat_id", `${chat}`)
  attached.set("photo", "attach://p")
  attached.set("p", new File(["two"], "p.png"))
  expect((await postBody(tg, "sendPhoto", attached)).result).toMatchObject({ photo: [{ width: 90 }, { file_size: 3 }] })
  const [log] = tg.chat(chat)
  expect(log).toMatchObject({ text: "a log", files: [{ kind: "document", name: "log.txt", bytes: 3 }] })
  expect(new TextDecoder().decode(log && tg.fileOf(log))).toBe("one")
  const { document } = JSON.parse(JSON.stringify(sent.result))
  expect((await post(tg, "sendDocument", { chat_id: chat, document: document.file_id })).status).toBe(200)
  const wrong = await post(tg, "sendDocument", { chat_id: chat, document: "404" })
  expect(wrong.description).toBe("Bad Request: wrong file identifier/HTTP URL specified")
  const { message_id } = JSON.parse(JSON.stringify(sent.result))
  const edit = await post(tg, "editMessageText", { chat_id: chat, message_id, text: "x" })
  expect(edit.description).toBe("Bad Request: the message to edit has no text")
})

it("limits uploads and captions", async () => {
  await using tg = await open()
  const send = (method: string, name: string, bytes: number, caption = "") => {
    const form = new FormData()
    form.set("chat_id", `${chat}`)
    form.set("caption", caption)
    form.set(name, new File([new Uint8Array(bytes)], "big"))
    return postBody(tg, method, form)
  }
  expect((await send("sendDocument", "document", 1, "x".repeat(1_024))).status).toBe(200)
  expect((await send("sendDocument", "document", 1, "x".repeat(1_025))).description).toBe(
    "Bad Request: message caption is too long"
  )
  expect((await send("sendDocument", "document", 0)).description).toBe("Bad Request: file must be non-empty")
  expect((await send("sendPhoto", "photo", 10_000_000)).status).toBe(200)
  expect((await send("sendPhoto", "photo", 10_000_001)).description).toBe("Bad Request: file is too big")
  expect((await send("sendDocument", "document", 50_000_000)).status).toBe(200)
  expect((await send("sendDocument", "document", 50_000_001)).description).toBe("Bad Request: file is too big")
  // Whether the client sees the answer or a broken connection, is chance: it is refused before it is read to its end.
  await send("sendDocument", "document", 51_000_001).catch(() => undefined)
  expect(tg.calls().at(-1)).toMatchObject({ status: 413, description: "Request Entity Too Large" })
  expect(tg.violations()).toHaveLength(4)
})

it("takes albums of two to ten of a kind", async () => {
  await using tg = await open()
  const send = (...types: ReadonlyArray<string>) => {
    const form = new FormData()
    form.set("chat_id", `${chat}`)
    const media = types.map((type, index) => ({ type, media: `attach://f${index}`, caption: `${index}` }))
    form.set("media", JSON.stringify(media))
    for (const index of types.keys()) form.set(`f${index}`, new File(["x"], `${index}.png`))
    return postBody(tg, "sendMediaGroup", form)
  }
  const count = (length: number) => Array.from({ length }, () => "photo")
  for (const wrong of [1, 11]) expect((await send(...count(wrong))).status).toBe(400)
  expect((await send("photo", "document")).status).toBe(400)
  expect(tg.chat(chat)).toEqual([])
  for (const right of [2, 10]) expect((await send(...count(right))).status).toBe(200)
  expect(tg.chat(chat).map(({ text }) => text)).toEqual(["0", "1", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
})

it("gives files of people, up to 20 MB, at a link that is valid for an hour", async () => {
  await using tg = await open()
  tg.say("look", { document: { name: "a.txt", content: "ä", mimeType: "text/plain" } })
  tg.say("", { voice: { content: new Uint8Array([1, 2, 3]) } })
  tg.say("", { document: { name: "big", content: "", bytes: 20 * 1_024 * 1_024 + 1 } })
  const [small = "", replies = "", big = ""] = heardFiles(tg)
  expect((await post(tg, "getFile", { file_id: big })).description).toBe("Bad Request: file is too big")
  const reported = await post(tg, "getFile", { file_id: small })
  expect(reported.result).toMatchObject({ file_size: 2, file_path: "documents/file_1.txt" })
  const get = (path: string) => fetch(`${tg.url}/file/bot${tg.token}/${path}`)
  expect(await (await get(pathOf(reported))).text()).toBe("ä")
  const received = await get(pathOf(await post(tg, "getFile", { file_id: replies })))
  expect(new Uint8Array(await received.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
  expect((await fetch(`${tg.url}/file/bot123456:another/${pathOf(reported)}`)).status).toBe(401)
  tg.fail("download", "cutBefore")
  await expect(get(pathOf(reported))).rejects.toThrow()
  tg.advance(3_600_000 - 1)
  expect((await get(pathOf(reported))).status).toBe(200)
  tg.advance(1)
  expect((await get(pathOf(reported))).status).toBe(404)
})

it("shows a chat as a person sees it", async () => {
  await using tg = await open()
  const request = tg.say("two of them", { photo: { content: "1" }, album: "a", caption: "a screen" })
  tg.say("", { photo: { content: "2" }, album: "a" })
  await post(tg, "sendMessage", {
    chat_id: chat,
    text: "Working…\nstill",
    disable_notification: true,
    reply_parameters: { message_id: request.messageId },
    reply_markup: { inline_keyboard: [[{ text: "Stop", callback_data: "s" }], [{ text: "More", callback_data: "m" }]] }
  })
  await post(tg, "editMessageReplyMarkup", {
    chat_id: chat,
    message_id: 3,
    reply_markup: { inline_keyboard: [[{ text: "Stop", callback_data: "s" }]] }
  })
  await post(tg, "setMessageReaction", { chat_id: chat, message_id: 1, reaction: [{ type: "emoji", emoji: "👀" }] })
  expect(tg.pending()).toMatchObject([
    { message: { caption: "a screen", media_group_id: "a" } },
    { message: { media_group_id: "a" } }
  ])
  expect(tg.render(chat)).toBe(
    [
      "#1 Ann",
      "   📎 photo, 1 B",
      "   a screen",
      "   👀",
      "#2 Ann",
      "   📎 photo, 1 B",
      "#3 🤖 Bot (reply to 1, silent, edited)",
      "   Working…",
      "   still",
      "   [Stop]"
    ].join("\n")
  )
})

it("keeps the commands of each scope and language", async () => {
  await using tg = await open()
  const [one, two] = [
    { command: "one", description: "1" },
    { command: "two", description: "2" }
  ]
  const scope = { type: "chat", chat_id: chat }
  await post(tg, "setMyCommands", { commands: [one] })
  await post(tg, "setMyCommands", { commands: [one, two], scope })
  await post(tg, "setMyCommands", { commands: [two], language_code: "de" })
  expect([tg.commands(), tg.commands(scope), tg.commands(undefined, "de")]).toEqual([[one], [one, two], [two]])
  expect((await post(tg, "getMyCommands", { scope: { chat_id: chat, type: "chat" } })).result).toEqual([one, two])
  await post(tg, "deleteMyCommands", { scope })
  expect([tg.commands(scope), tg.commands()]).toEqual([[], [one]])
})
