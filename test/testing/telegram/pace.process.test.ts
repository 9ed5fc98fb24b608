/** How often a bot may write, in the server's own time. */
import { expect, it } from "vitest"
import { TelegramServer, type TelegramServerOptions } from "../../../src/testing.ts"
import { idOf, post, still } from "./client.ts"

const group = -1_000_000_000_007

const open = async (options: TelegramServerOptions = {}) => {
  const tg = await TelegramServer.start({ ...still, ...options })
  tg.open(group)
  for (let id = 1; id <= 40; id++) tg.open(id)
  const send = (chat_id: number) => post(tg, "sendMessage", { chat_id, text: "x" })
  const rules = () => tg.violations().map(({ rule }) => rule)
  return { tg, send, rules }
}

it("takes a short burst in a direct chat, then one a second", async () => {
  const { tg, send, rules } = await open()
  await using _ = tg
  for (let index = 0; index < 5; index++) expect((await send(1)).status).toBe(200)
  expect(await send(1)).toMatchObject({ status: 429, retryAfter: 5 })
  expect(rules()).toEqual(["pace"])
  tg.advance(5_000)
  for (let index = 0; index < 30; index++) {
    expect((await send(1)).status).toBe(200)
    tg.advance(1_000)
  }
  expect(rules()).toEqual(["pace"])
})

it("takes 20 messages and edits a minute in a group", async () => {
  const { tg, send } = await open()
  await using _ = tg
  const message_id = idOf(await send(group))
  for (let index = 1; index < 20; index++) {
    tg.advance(1_000)
    await post(tg, "editMessageText", { chat_id: group, message_id, text: `${index}` })
  }
  expect(tg.violations()).toEqual([])
  const refused = await post(tg, "editMessageText", { chat_id: group, message_id, text: "more" })
  expect(refused).toMatchObject({ status: 429, retryAfter: 41, description: "Too Many Requests: retry after 41" })
  expect((await send(1)).status).toBe(200)
  tg.advance(41_000)
  expect((await send(group)).status).toBe(200)
})

it("takes 30 a second in all", async () => {
  const { tg, send } = await open()
  await using _ = tg
  for (let chat = 1; chat <= 30; chat++) expect((await send(chat)).status).toBe(200)
  expect(await send(31)).toMatchObject({ status: 429, retryAfter: 1 })
  tg.advance(1_000)
  expect((await send(31)).status).toBe(200)
})

it("counts each message of an album", async () => {
  const { tg, send } = await open()
  await using _ = tg
  const form = new FormData()
  const media = Array.from({ length: 10 }, (_, index) => ({ type: "document", media: `attach://f${index}` }))
  form.set("chat_id", `${group}`)
  form.set("media", JSON.stringify(media))
  for (let index = 0; index < 10; index++) form.set(`f${index}`, new File(["x"], `${index}.txt`))
  const album = () => fetch(`${tg.url}/bot${tg.token}/sendMediaGroup`, { method: "POST", body: form })
  expect([(await album()).status, (await album()).status]).toEqual([200, 200])
  expect((await send(group)).status).toBe(429)
  expect(new Set(tg.chat(group).map((message) => message.album)).size).toBe(2)
})

it("records what comes in a time that is forbidden, in the chat or at all", async () => {
  const { tg, send, rules } = await open()
  await using _ = tg
  tg.fail("sendMessage", { retryAfter: 5 })
  expect(await send(1)).toMatchObject({ status: 429, retryAfter: 5 })
  expect((await send(2)).status).toBe(200)
  tg.advance(4_000)
  expect(await send(1)).toMatchObject({ status: 429, retryAfter: 1 })
  expect(rules()).toEqual(["forbidden"])
  tg.advance(1_000)
  expect((await send(1)).status).toBe(200)
  tg.fail("sendMessage", { retryAfter: 60, scope: "account" })
  await send(1)
  expect((await send(2)).retryAfter).toBe(60)
  expect(rules()).toEqual(["forbidden", "forbidden"])
})

it("has other budgets, or none, where a test says so", async () => {
  const { tg, send } = await open({ pace: { direct: { most: 1, spanMs: 10_000 } } })
  await using _ = tg
  expect([(await send(1)).status, (await send(1)).retryAfter]).toEqual([200, 10])
  const free = await open({ pace: false })
  await using __ = free.tg
  for (let index = 0; index < 50; index++) expect((await free.send(1)).status).toBe(200)
})
