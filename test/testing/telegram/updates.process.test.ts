/** How updates are read: confirmed by offset, kept for a day, by one poll at a time, never beside a webhook. */
import { describe, expect, it } from "vitest"
import { TelegramServer } from "../../../src/testing.ts"
import { type Answered, post, still } from "./client.ts"

const textsOf = ({ result }: Answered): ReadonlyArray<unknown> =>
  Array.isArray(result) ? result.map((update) => update.message?.text ?? Object.keys(update).at(-1)) : []

const open = async () => {
  const tg = await TelegramServer.start({ ...still, firstUpdateId: 11 })
  const poll = (params: object = {}, signal?: AbortSignal) => post(tg, "getUpdates", params, signal)
  /** A client that asks again with the same offset is a hurry to Telegram: time passes between two calls. */
  const later = (params: object = {}) => {
    tg.advance(3_000)
    return poll(params)
  }
  /** An answer that was given before has come by then. */
  const settled = () => post(tg, "getMe")
  return { tg, poll, later, settled }
}

describe("updates", () => {
  it("come until a higher offset confirms them, for good", async () => {
    const { tg, later } = await open()
    await using _ = tg
    for (const text of ["one", "two", "three"]) tg.say(text)
    expect(textsOf(await later())).toEqual(["one", "two", "three"])
    expect(textsOf(await later({ offset: 11 }))).toEqual(["one", "two", "three"])
    expect(textsOf(await later({ offset: 13 }))).toEqual(["three"])
    expect(textsOf(await later({ offset: 11 }))).toEqual(["three"])
    expect(tg.confirmed()).toBe(2)
    expect(tg.pending()).toHaveLength(1)
  })

  it("come a hundred at once at most, or as many as one likes", async () => {
    const { tg, later } = await open()
    await using _ = tg
    for (let index = 0; index < 120; index++) tg.say(`${index}`)
    expect(textsOf(await later())).toHaveLength(100)
    expect(textsOf(await later({ limit: 500 }))).toHaveLength(100)
    expect(textsOf(await later({ limit: 2 }))).toEqual(["0", "1"])
  })

  it("are forgotten but for the last ones by a negative offset", async () => {
    const { tg, later } = await open()
    await using _ = tg
    for (const text of ["one", "two", "three"]) tg.say(text)
    expect(textsOf(await later({ offset: -1 }))).toEqual(["three"])
    expect(textsOf(await later())).toEqual(["three"])
  })

  it("are not confirmed by an offset that is far ahead", async () => {
    const { tg, later } = await open()
    await using _ = tg
    tg.say("one")
    expect(textsOf(await later({ offset: 1_000 }))).toEqual(["one"])
    // As after a week of silence, when ids begin anew.
    tg.hear({ update_id: 3, message: { text: "from the start" } })
    expect(textsOf(await later({ offset: 1_000 }))).toEqual(["one", "from the start"])
  })

  it("are kept for a day", async () => {
    const { tg, later, poll } = await open()
    await using _ = tg
    tg.say("yesterday")
    tg.advance(24 * 3_600_000 - 3_001)
    tg.say("today")
    expect(textsOf(await later())).toEqual(["yesterday", "today"])
    tg.advance(1)
    expect(textsOf(await poll({ limit: 2 }))).toEqual(["today"])
  })

  it("end a long poll that waits, which ends by itself after its time", async () => {
    const { tg, poll, settled } = await open()
    await using _ = tg
    const waiting = poll({ timeout: 50 })
    await tg.until(() => tg.listeners() === 1 || undefined)
    tg.say("one")
    expect(textsOf(await waiting)).toEqual(["one"])
    const idle = poll({ offset: 12, timeout: 80 })
    await tg.until(() => tg.listeners() === 1 || undefined)
    tg.advance(49_999)
    await settled()
    expect(tg.listeners()).toBe(1)
    tg.advance(1)
    expect((await idle).result).toEqual([])
    expect(tg.listeners()).toBe(0)
  })

  it("are read by one poll: the older one of two is refused", async () => {
    const { tg, poll } = await open()
    await using _ = tg
    const older = poll({ timeout: 50 })
    await tg.until(() => tg.listeners() === 1 || undefined)
    const newer = poll({ timeout: 50 })
    expect(await older).toMatchObject({
      status: 409,
      description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    })
    await tg.until(() => tg.listeners() === 1 || undefined)
    tg.say("one")
    expect(textsOf(await newer)).toEqual(["one"])
  })

  it("are lost by no poll that the client has left", async () => {
    const { tg, poll } = await open()
    await using _ = tg
    const leaving = new AbortController()
    const left = poll({ timeout: 50 }, leaving.signal).catch(() => "left")
    await tg.until(() => tg.listeners() === 1 || undefined)
    leaving.abort()
    await left
    await tg.until(() => tg.calls().some(({ outcome }) => outcome === "left") || undefined)
    tg.say("one")
    expect(textsOf(await poll())).toEqual(["one"])
  })

  it("come one by one to a client in a hurry, and make one that asks again wait", async () => {
    const { tg, poll, settled } = await open()
    await using _ = tg
    for (const text of ["one", "two"]) tg.say(text)
    expect(textsOf(await poll())).toEqual(["one", "two"])
    expect(textsOf(await poll())).toEqual(["one"])
    await poll({ offset: 13 })
    const again = poll({ offset: 13 })
    await tg.until(() => tg.listeners() === 1 || undefined)
    tg.advance(2_999)
    await settled()
    expect(tg.listeners()).toBe(1)
    tg.advance(1)
    expect((await again).result).toEqual([])
  })

  it("do not come beside a webhook, whose end can drop them", async () => {
    const { tg, poll, later } = await open()
    await using _ = tg
    const waiting = poll({ timeout: 50 })
    await tg.until(() => tg.listeners() === 1 || undefined)
    expect((await post(tg, "setWebhook", { url: "http://example.com" })).status).toBe(400)
    await post(tg, "setWebhook", { url: "https://example.com/hook" })
    expect((await waiting).description).toBe("Conflict: terminated by setWebhook request")
    tg.say("one")
    expect((await post(tg, "getWebhookInfo")).result).toMatchObject({
      url: "https://example.com/hook",
      pending_update_count: 1
    })
    expect(await poll()).toMatchObject({
      status: 409,
      description:
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    })
    await post(tg, "deleteWebhook", { drop_pending_updates: true })
    expect((await later()).result).toEqual([])
  })

  it("are of the kinds that were asked for, from then on", async () => {
    const { tg, later } = await open()
    await using _ = tg
    await later({ allowed_updates: ["message"] })
    const message = tg.say("one")
    tg.edit(message, "two")
    expect(textsOf(await later())).toEqual(["one"])
    await later({ allowed_updates: [] })
    tg.edit(message, "three")
    expect(textsOf(await later({ offset: 12 }))).toEqual(["edited_message"])
  })

  it("can be anything that a test makes up", async () => {
    const { tg, later } = await open()
    await using _ = tg
    expect(tg.hear({})).toBe(11)
    expect(tg.hear({ update_id: 20, message: 5 })).toBe(20)
    tg.say("behind it")
    expect((await later()).result).toMatchObject([
      { update_id: 11 },
      { update_id: 20, message: 5 },
      { update_id: 21, message: { text: "behind it" } }
    ])
  })
})
