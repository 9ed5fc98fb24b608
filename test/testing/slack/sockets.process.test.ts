/** Socket Mode: tickets, at most ten sockets, acknowledgements, repeats, and the frames that end a socket. */
import { expect, it } from "vitest"
import { SlackServer, type SlackServerOptions } from "../../../src/testing.ts"
import { connect, eventOf, post, still, ticketFor } from "./client.ts"

const open = (options: SlackServerOptions = {}) => SlackServer.start({ ...still, ...options })

it("opens one socket with each address, for a while", async () => {
  await using slack = await open()
  const url = await ticketFor(slack)
  const { frames } = await connect(slack, url)
  expect(frames[0]).toMatchObject({ type: "hello", num_connections: 1, connection_info: { app_id: "A0TESTAPP" } })
  await expect(connect(slack, url)).rejects.toThrow("not opened")
  const late = await ticketFor(slack)
  slack.advance(30_000)
  await expect(connect(slack, late)).rejects.toThrow("not opened")
  await expect(connect(slack, late.replace("/link/", "/other/"))).rejects.toThrow("not opened")
  expect(slack.listeners()).toBe(1)
})

it("counts the sockets in each hello, and takes no more than ten", async () => {
  await using slack = await open()
  const counts: Array<unknown> = []
  for (let index = 0; index < 10; index++) counts.push((await connect(slack)).frames[0]?.["num_connections"])
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect((await connect(slack)).frames[0]).toMatchObject({ type: "disconnect", reason: "too_many_websockets" })
  expect(slack.listeners()).toBe(10)
})

it("deals each event to one socket, by chance", async () => {
  const chances = [0.9, 0, 0.5]
  await using slack = await open({ random: () => chances.shift() ?? 0 })
  const [one, two] = [await connect(slack), await connect(slack)]
  for (const text of ["first", "second", "third"]) slack.say(text)
  await two.frame(2)
  await one.frame(1)
  expect(one.frames.slice(1).map((frame) => eventOf(frame)["text"])).toEqual(["second"])
  expect(two.frames.slice(1).map((frame) => eventOf(frame)["text"])).toEqual(["first", "third"])
})

it("repeats an event at once, after a minute and after five, then never, until it is acknowledged", async () => {
  await using slack = await open()
  const { frame, frames } = await connect(slack)
  slack.say("hello")
  const first = await frame(1)
  expect(first).toMatchObject({
    type: "events_api",
    retry_attempt: 0,
    retry_reason: "",
    accepts_response_payload: false
  })
  slack.advance(3_000)
  expect(await frame(2)).toMatchObject({ retry_attempt: 1, retry_reason: "timeout" })
  slack.advance(3_000)
  slack.advance(59_999)
  expect(frames).toHaveLength(3)
  slack.advance(1)
  expect(await frame(3)).toMatchObject({ retry_attempt: 2 })
  slack.advance(3_000)
  slack.advance(300_000)
  expect(await frame(4)).toMatchObject({ retry_attempt: 3 })
  expect(new Set(frames.slice(1).map((each) => eventOf(each)["ts"])).size).toBe(1)
  slack.advance(3_000)
  expect([slack.pending(), slack.confirmed()]).toEqual([[], 0])
  slack.advance(1_000_000)
  slack.say("again")
  expect(eventOf(await frame(5))["text"]).toBe("again")
})

it("takes the acknowledgement of the socket that got it, in time", async () => {
  await using slack = await open({ random: () => 0 })
  const [one, two] = [await connect(slack), await connect(slack)]
  slack.say("hello")
  const envelope = await one.frame(1)
  two.acknowledge(envelope)
  two.socket.send("no JSON")
  slack.say("behind it")
  const behind = await one.frame(2)
  one.acknowledge(behind)
  await slack.until(() => slack.confirmed() === 1 || undefined)
  expect(slack.pending()).toHaveLength(1)
  slack.advance(3_000)
  one.acknowledge(envelope)
  one.acknowledge(await one.frame(3))
  await slack.until(() => slack.confirmed() === 2 || undefined)
  expect(slack.pending()).toEqual([])
})

it("keeps an event for later while no one listens", async () => {
  await using slack = await open()
  slack.say("is someone there?")
  const { frame } = await connect(slack)
  // The next attempt, should the first have come before the socket.
  slack.advance(60_000)
  expect(eventOf(await frame(1))).toMatchObject({ text: "is someone there?" })
})

it("gives presses and commands once, and tells when no one acknowledges them", async () => {
  await using slack = await open()
  slack.open("D1001")
  const { socket, frame, frames, acknowledge } = await connect(slack)
  const element = { type: "button", action_id: "a", value: "y", text: { type: "plain_text", text: "Yes" } }
  await post(slack, "chat.postMessage", { channel: "D1001", blocks: [{ type: "actions", elements: [element] }] })
  const [question] = slack.chat("D1001")
  if (question === undefined) throw new Error("no question")
  acknowledge(await frame(1))
  expect(() => slack.press(question, "No")).toThrow("has no button No")
  slack.press(question, "Yes")
  expect(await frame(2)).toMatchObject({
    type: "interactive",
    payload: { actions: [{ value: "y" }], container: { message_ts: question.messageId }, user: { id: "U1001" } }
  })
  const press = slack.press(question, { data: "made up" }, { from: "U7" })
  const third = await frame(3)
  expect(third).toMatchObject({ payload: { actions: [{ value: "made up" }], trigger_id: press, user: { id: "U7" } } })
  acknowledge(third)
  await slack.until(() => slack.acknowledgements()[0])
  expect(slack.acknowledgements()).toMatchObject([{ press, text: "" }])
  slack.command("/reins status now", { chat: "C1" })
  expect(await frame(4)).toMatchObject({
    type: "slash_commands",
    accepts_response_payload: true,
    payload: { command: "/reins", text: "status now", channel_id: "C1", user_id: "U1001" }
  })
  expect(() => slack.say("/reins status")).toThrow("command")
  slack.advance(3_000)
  slack.advance(400_000)
  expect(frames).toHaveLength(5)
  expect(slack.violations().map(({ method, rule }) => [method, rule])).toEqual([
    ["block_actions", "limit"],
    ["slash_commands", "limit"]
  ])
  socket.close()
  await slack.until(() => slack.listeners() === 0 || undefined)
  slack.press(question, "Yes")
  slack.advance(3_000)
  // No one was there to acknowledge it.
  expect(slack.violations()).toHaveLength(2)
})

it("says before it ends a socket, closes it 10 s later, and leaves the connection to the client", async () => {
  await using slack = await open()
  const { socket, frame, frames } = await connect(slack)
  slack.disconnect("warning")
  expect(await frame(1)).toMatchObject({ type: "disconnect", reason: "warning" })
  slack.disconnect("refresh_requested")
  expect(await frame(2)).toMatchObject({ reason: "refresh_requested" })
  const next = await connect(slack)
  expect(next.frames[0]).toMatchObject({ num_connections: 2 })
  expect(slack.listeners()).toBe(2)
  let isClosed = false
  socket.addEventListener("close", () => {
    isClosed = true
  })
  slack.advance(10_000)
  await slack.until(() => slack.listeners() === 1 || undefined)
  slack.say("to the other")
  expect(eventOf(await next.frame(1))).toMatchObject({ text: "to the other" })
  while (socket.readyState === WebSocket.OPEN) await new Promise((resolve) => setImmediate(resolve))
  expect([frames.length, isClosed, socket.readyState]).toEqual([3, false, WebSocket.CLOSING])
})

it("turns Socket Mode off and on", async () => {
  await using slack = await open()
  const { frame } = await connect(slack)
  slack.disconnect("link_disabled")
  expect(await frame(1)).toMatchObject({ reason: "link_disabled" })
  expect(slack.listeners()).toBe(0)
  expect(await post(slack, "apps.connections.open")).toMatchObject({ ok: false, error: "access_denied" })
  slack.socketMode(true)
  await connect(slack)
  expect(slack.listeners()).toBe(1)
})

it("pings its sockets, and lets a test cut them", async () => {
  await using slack = await open()
  const { socket } = await connect(slack)
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve))
  slack.sockets()[0]?.cut()
  expect((await closed).code).toBe(1006)
  expect(slack.listeners()).toBe(0)
})
