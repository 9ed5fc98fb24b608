/** Faults on the way, set by a test: once each, in order, with the call taken or not; and sockets that hang or are cut. */
import { expect, it } from "vitest"
import { SlackServer } from "../../../src/testing.ts"
import { connect, eventOf, post, raw, still } from "./client.ts"

const open = async () => {
  const slack = await SlackServer.start({ ...still, pace: false })
  slack.open("C1")
  const send = (text: string, signal?: AbortSignal) => raw(slack, "chat.postMessage", { channel: "C1", text }, signal)
  const texts = () => slack.chat("C1").map(({ text }) => text)
  return { slack, send, texts }
}

it("breaks the connection before a call is taken, or after", async () => {
  const { slack, send, texts } = await open()
  await using _ = slack
  slack.fail("chat.postMessage", "cutBefore")
  slack.fail("chat.postMessage", "cutAfter")
  await expect(send("before")).rejects.toThrow()
  await expect(send("after")).rejects.toThrow()
  await send("afterwards")
  expect(texts()).toEqual(["after", "afterwards"])
  expect(slack.calls().map(({ outcome }) => outcome)).toEqual(["cut", "cut", "answered"])
})

it("answers with a page of a proxy, with half an answer, or with any word and status", async () => {
  const { slack, send, texts } = await open()
  await using _ = slack
  for (const fault of ["badGateway", "badGatewayAfter", "invalidJson"] as const) slack.fail("chat.postMessage", fault)
  slack.fail("*", { error: "internal_error" })
  slack.fail("chat.postMessage", { error: "service_unavailable", status: 503 })
  const [not, taken, half] = [await send("not"), await send("taken"), await send("half")]
  expect([not.status, not.headers.get("content-type"), taken.status, half.status]).toEqual([502, "text/html", 502, 200])
  await expect(half.json()).rejects.toThrow()
  const [word, status] = [await send("x"), await send("y")]
  expect([word.status, await word.json()]).toEqual([200, { ok: false, error: "internal_error" }])
  expect([status.status, await status.json()]).toEqual([503, { ok: false, error: "service_unavailable" }])
  expect(texts()).toEqual(["taken", "half"])
})

it("gives no answer for as long as the client waits, or a late one by its own time", async () => {
  const { slack, send, texts } = await open()
  await using _ = slack
  slack.fail("chat.postMessage", "hang")
  const leaving = new AbortController()
  const hanging = send("never", leaving.signal).catch(() => "left")
  await slack.until(() => slack.calls().some(({ outcome }) => outcome === "open") || undefined)
  leaving.abort()
  await hanging
  await slack.until(() => slack.calls().every(({ outcome }) => outcome === "left") || undefined)
  slack.fail("chat.postMessage", { slowMs: 30_000 })
  const slow = send("late")
  await slack.until(() => texts().length === 1 || undefined)
  expect(slack.calls().at(-1)?.outcome).toBe("open")
  slack.advance(30_000)
  expect((await slow).status).toBe(200)
})

it("refuses a token from now on, and is not there for a while", async () => {
  const { slack, send, texts } = await open()
  await using _ = slack
  const { socket, frame } = await connect(slack)
  const closed = new Promise((resolve) => socket.addEventListener("close", resolve))
  await send("one")
  expect(eventOf(await frame(1))).toMatchObject({ text: "one" })
  await slack.down()
  await closed
  await expect(send("two")).rejects.toThrow("fetch failed")
  expect(slack.listeners()).toBe(0)
  await slack.up()
  await send("three")
  slack.fail("chat.postMessage", "revoked")
  expect(await (await send("four")).json()).toMatchObject({ error: "token_revoked" })
  expect(await post(slack, "auth.test")).toMatchObject({ error: "token_revoked" })
  expect(texts()).toEqual(["one", "three"])
})

it("knows no other paths, and survives what it cannot read", async () => {
  const { slack } = await open()
  await using _ = slack
  const root = slack.url.replace("/api", "")
  expect((await fetch(`${root}/nowhere`)).status).toBe(404)
  const long = await fetch(`${slack.url}/auth.test`, { method: "POST", body: "x".repeat(1_000_001) })
  expect([long.status, slack.violations()]).toMatchObject([413, [{ rule: "limit", method: "auth.test" }]])
  expect(await post(slack, "auth.test")).toMatchObject({ ok: true })
})

it("has sockets that hang, and gives any frame", async () => {
  const { slack } = await open()
  await using _ = slack
  const { socket, frames, frame } = await connect(slack)
  slack.sockets()[0]?.send('{"type":"song"}')
  expect(await frame(1)).toEqual({ type: "song" })
  slack.sockets()[0]?.hang()
  slack.say("unheard")
  const next = await connect(slack)
  expect([frames.length, slack.listeners(), socket.readyState]).toEqual([2, 2, WebSocket.OPEN])
  slack.sockets()[0]?.cut()
  slack.advance(3_000)
  expect(eventOf(await next.frame(1))).toMatchObject({ text: "unheard" })
})
