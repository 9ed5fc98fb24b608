/** Faults on the way, set by a test: once each, in order, with the call taken or not. */
import { expect, it } from "vitest"
import { TelegramServer } from "../../../src/testing.ts"
import { post } from "./client.ts"

const chat = 1_001

const open = async () => {
  const tg = await TelegramServer.start()
  tg.open(chat)
  const send = (text = "x", signal?: AbortSignal) => post(tg, "sendMessage", { chat_id: chat, text }, signal)
  const raw = (text = "x") =>
    fetch(`${tg.url}/bot${tg.token}/sendMessage`, {
      method: "POST",
      body: new URLSearchParams({ chat_id: `${chat}`, text })
    })
  const texts = () => tg.chat(chat).map(({ text }) => text)
  const outcomes = () => tg.calls().map(({ outcome, status = 0 }) => [outcome, status])
  return { tg, send, raw, texts, outcomes }
}

it("breaks the connection before a call is taken, or after", async () => {
  const { tg, send, texts, outcomes } = await open()
  await using _ = tg
  tg.fail("sendMessage", "cutBefore")
  tg.fail("sendmessage", "cutAfter")
  await expect(send("before")).rejects.toThrow()
  await expect(send("after")).rejects.toThrow()
  await send("afterwards")
  expect(texts()).toEqual(["after", "afterwards"])
  expect(outcomes()).toEqual([
    ["cut", 0],
    ["cut", 0],
    ["answered", 200]
  ])
})

it("answers with a page of a proxy, or with half an answer", async () => {
  const { tg, raw, texts } = await open()
  await using _ = tg
  for (const fault of ["badGateway", "badGatewayAfter", "invalidJson"] as const) tg.fail("sendMessage", fault)
  const [not, taken, half] = [await raw("not"), await raw("taken"), await raw("half")]
  expect([not.status, not.headers.get("content-type"), await not.text()]).toEqual([
    502,
    "text/html",
    expect.stringContaining("502 Bad Gateway")
  ])
  expect([taken.status, half.status]).toEqual([502, 200])
  await expect(half.json()).rejects.toThrow()
  expect(texts()).toEqual(["taken", "half"])
})

it("gives no answer for as long as the client waits", async () => {
  const { tg, send, texts, outcomes } = await open()
  await using _ = tg
  tg.fail("sendMessage", "hang")
  const leaving = new AbortController()
  const hanging = send("never", leaving.signal).catch(() => "left")
  await tg.until(() => tg.calls().some(({ outcome }) => outcome === "open") || undefined)
  leaving.abort()
  await hanging
  await tg.until(() => tg.calls().every(({ outcome }) => outcome === "left") || undefined)
  expect([texts(), outcomes()]).toEqual([[], [["left", 0]]])
})

it("answers late, by its own time", async () => {
  const { tg, send, texts } = await open()
  await using _ = tg
  tg.fail("sendMessage", { slowMs: 30_000 })
  const slow = send("late")
  await tg.until(() => texts().length === 1 || undefined)
  expect(tg.calls()[0]?.outcome).toBe("open")
  tg.advance(30_000)
  expect((await slow).status).toBe(200)
})

it("refuses in any words, as another poller and a refused token", async () => {
  const { tg, send, texts } = await open()
  await using _ = tg
  tg.fail("sendMessage", { code: 400, description: "Bad Request: CHAT_RESTRICTED" })
  tg.fail("*", "unauthorized")
  tg.fail("getUpdates", "conflict", 2)
  expect(await send()).toMatchObject({ status: 400, description: "Bad Request: CHAT_RESTRICTED" })
  expect(await send()).toMatchObject({ status: 401, description: "Unauthorized" })
  for (let time = 0; time < 2; time++) expect((await post(tg, "getUpdates")).status).toBe(409)
  expect((await post(tg, "getUpdates")).status).toBe(200)
  expect(texts()).toEqual([])
})

it("refuses a token that was taken back, in open calls as well, and another one", async () => {
  const { tg, send } = await open()
  await using _ = tg
  const polling = post(tg, "getUpdates", { timeout: 50 })
  await tg.until(() => tg.listeners() === 1 || undefined)
  tg.fail("sendMessage", "revoked")
  expect([(await send()).status, (await polling).status, (await send()).status]).toEqual([401, 401, 401])
  const other = { url: tg.url, token: "123456:another-token-of-nobody" }
  expect(await post(other, "getMe")).toMatchObject({ status: 401, description: "Unauthorized" })
  expect(await post({ ...other, token: "token" }, "getMe")).toMatchObject({ status: 404, description: "Not Found" })
})

it("is not there for a while", async () => {
  const { tg, send, texts } = await open()
  await using _ = tg
  await send("one")
  await tg.down()
  await expect(send("two")).rejects.toThrow("fetch failed")
  await tg.up()
  await send("three")
  expect(texts()).toEqual(["one", "three"])
})

it("knows no other methods and paths", async () => {
  const { tg } = await open()
  await using _ = tg
  expect(await post(tg, "sendSong")).toMatchObject({ status: 404, description: "Not Found: method not found" })
  expect((await fetch(`${tg.url}/nowhere`)).status).toBe(404)
  expect((await fetch(`${tg.url}/file/bot${tg.token}/documents/file_1`)).status).toBe(404)
  await expect(fetch(`${tg.url}/bot%ff/getMe`)).rejects.toThrow()
  expect((await post(tg, "GETME")).status).toBe(200)
})
