/** How often methods may be called: posts in a channel, updates in the workspace, other methods by their tier. */
import { expect, it } from "vitest"
import { SlackServer } from "../../../src/testing.ts"
import { post, raw, still } from "./client.ts"

const open = async () => {
  const slack = await SlackServer.start(still)
  for (const id of ["C1", "C2"]) slack.open(id)
  const send = (channel: string) => post(slack, "chat.postMessage", { channel, text: "x" })
  return { slack, send }
}

it("takes three posts at once in a channel, then one a second, each channel for itself", async () => {
  const { slack, send } = await open()
  await using _ = slack
  for (let index = 0; index < 3; index++) expect((await send("C1")).ok).toBe(true)
  const refused = await raw(slack, "chat.postMessage", { channel: "C1", text: "x" })
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    429,
    "3",
    { ok: false, error: "ratelimited" }
  ])
  expect((await send("C2")).ok).toBe(true)
  slack.advance(2_999)
  expect((await send("C1")).error).toBe("ratelimited")
  slack.advance(1)
  expect((await send("C1")).ok).toBe(true)
  expect(slack.violations().map(({ rule }) => rule)).toEqual(["pace", "forbidden"])
})

it("takes fifty updates a minute in the whole workspace", async () => {
  const { slack, send } = await open()
  await using _ = slack
  const places = [
    { channel: "C1", ts: (await send("C1")).ts },
    { channel: "C2", ts: (await send("C2")).ts }
  ]
  for (let index = 0; index < 50; index++)
    expect((await post(slack, "chat.update", { ...places[index % 2], text: `${index}` })).ok).toBe(true)
  for (const place of places)
    expect((await post(slack, "chat.update", { ...place, text: "more" })).error).toBe("ratelimited")
  expect((await send("C1")).ok).toBe(true)
  slack.advance(60_000)
  expect((await post(slack, "chat.update", { ...places[0], text: "later" })).ok).toBe(true)
})

it("takes as many reads a minute as their tier has, and any number where it is told so", async () => {
  const { slack } = await open()
  await using _ = slack
  for (let index = 0; index < 20; index++) expect((await post(slack, "conversations.list")).ok).toBe(true)
  expect((await post(slack, "conversations.list")).error).toBe("ratelimited")
  await using free = await SlackServer.start({ ...still, pace: false })
  free.open("C1")
  for (let index = 0; index < 30; index++)
    expect((await post(free, "chat.postMessage", { channel: "C1", text: "x" })).ok).toBe(true)
  free.fail("chat.postMessage", { retryAfter: 7 })
  expect((await post(free, "chat.postMessage", { channel: "C1", text: "x" })).error).toBe("ratelimited")
  expect((await post(free, "chat.postMessage", { channel: "C1", text: "x" })).error).toBe("ratelimited")
  free.advance(7_000)
  expect((await post(free, "chat.postMessage", { channel: "C1", text: "x" })).ok).toBe(true)
})
