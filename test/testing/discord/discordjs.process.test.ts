/**
 * Foreign clients are the judges of the server: Discord.js's own `REST` and `WebSocketManager` work with it as with Discord,
 * and a person sees what the bot's author meant.
 */
import { DiscordAPIError, REST } from "@discordjs/rest"
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws"
import type { APIMessage } from "discord-api-types/v10"
import { expect, it } from "vitest"
import { DiscordServer, type DiscordServerOptions } from "../../../src/testing.ts"

const intents = 1 | (1 << 9) | (1 << 12) | (1 << 15)
const channel = "400000000000000001"

interface Event {
  readonly t: string
  readonly d: Readonly<Record<string, unknown>>
}

const open = async (options: DiscordServerOptions = {}) => {
  const discord = await DiscordServer.start(options)
  const rest = new REST({ api: discord.url, version: "10", retries: 0 }).setToken(discord.token)
  const events: Array<Event> = []
  const manager = new WebSocketManager({
    token: discord.token,
    intents,
    rest,
    compression: null
  })
  manager.on(WebSocketShardEvents.Dispatch, (payload) => void events.push(payload as unknown as Event))
  manager.on(WebSocketShardEvents.Error, () => undefined)
  const ended = async () => {
    await manager.destroy()
    await discord[Symbol.asyncDispose]()
  }
  const received = (look: (event: Event) => boolean) =>
    new Promise<Event>((resolve) => {
      const again = () => {
        const found = events.find(look)
        if (found === undefined) setImmediate(again)
        else resolve(found)
      }
      again()
    })
  return { discord, rest, manager, events, received, [Symbol.asyncDispose]: ended }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 0,
    (error: unknown) => (error instanceof DiscordAPIError ? error.code : -1)
  )

const write = (rest: REST, to: string, body: object) =>
  rest.post(`/channels/${to}/messages`, { body }) as Promise<APIMessage>

it("sends, edits, deletes and lists messages; the same nonce gives the first message, and history has none", async () => {
  await using all = await open({ pace: false })
  const { discord, rest } = all
  const direct = discord.direct()
  const body = { content: "**Hello**", nonce: "n".repeat(25), enforce_nonce: true, flags: 4 }
  const first = await write(rest, direct, body)
  const again = await write(rest, direct, body)
  expect(again.id).toBe(first.id)
  discord.advance(300_000)
  expect((await write(rest, direct, body)).id).not.toBe(first.id)
  const page = (await rest.get(`/channels/${direct}/messages`, {
    query: new URLSearchParams({ after: "0", limit: "100" })
  })) as Array<APIMessage>
  expect(page.map(({ content, nonce }) => [content, nonce])).toEqual([
    ["**Hello**", undefined],
    ["**Hello**", undefined]
  ])
  await rest.patch(`/channels/${direct}/messages/${first.id}`, { body: { content: "Bye", components: [] } })
  expect(discord.chat(direct).map(({ text, edited }) => [text, edited])).toEqual([
    ["Bye", true],
    ["**Hello**", false]
  ])
  await rest.delete(`/channels/${direct}/messages/${first.id}`)
  expect(await codeOf(rest.delete(`/channels/${direct}/messages/${first.id}`))).toBe(10_008)
  expect(await codeOf(write(rest, direct, { content: "x", nonce: "n".repeat(26) }))).toBe(50_035)
  expect(await codeOf(write(rest, direct, { content: "👩".repeat(2_001) }))).toBe(50_035)
  expect(await codeOf(write(rest, direct, { content: "👩".repeat(2_000) }))).toBe(0)
  expect(await codeOf(write(rest, direct, { content: " " }))).toBe(50_006)
  expect(await codeOf(write(rest, "404000000000000000", { content: "x" }))).toBe(10_003)
  const button = { type: 2, style: 1, label: "Yes", custom_id: "y" }
  const row = (components: ReadonlyArray<object>) => ({ content: "?", components: [{ type: 1, components }] })
  expect(await codeOf(write(rest, direct, row([button, button])))).toBe(50_035)
  expect(await codeOf(write(rest, direct, row([{ ...button, label: "y".repeat(81) }])))).toBe(50_035)
  expect(discord.violations().map(({ rule }) => rule)).toEqual(Array.from({ length: 5 }, () => "limit"))
})

it("begins threads at messages, opens archived ones, and takes files", async () => {
  await using all = await open({ pace: false })
  const { discord, rest } = all
  const { messageId } = discord.say("<@200000000000000001> hello", { channel })
  const start = () => rest.post(`/channels/${channel}/messages/${messageId}/threads`, { body: { name: "Hello" } })
  expect(await codeOf(write(rest, messageId, { content: "x" }))).toBe(10_003)
  expect(await start()).toMatchObject({ id: messageId, parent_id: channel, owner_id: discord.me.id })
  expect(await codeOf(start())).toBe(160_004)
  expect(discord.nameOf(messageId)).toBe("Hello")
  discord.archive(messageId)
  expect(await codeOf(write(rest, messageId, { content: "x" }))).toBe(50_083)
  await rest.patch(`/channels/${messageId}`, { body: { archived: false } })
  const sent = (await rest.post(`/channels/${messageId}/messages`, {
    body: { content: "a file" },
    files: [{ name: "a.txt", data: Buffer.from("hello") }]
  })) as APIMessage
  expect(discord.fileOf({ channel: messageId, messageId: sent.id })).toEqual(new TextEncoder().encode("hello"))
  const url = sent.attachments[0]?.url ?? ""
  expect(await (await fetch(url)).text()).toBe("hello")
  discord.advance(86_400_000)
  expect((await fetch(url)).status).toBe(404)
  const { messageId: deleted } = discord.say("gone soon", { channel })
  discord.withdraw({ channel, messageId: deleted })
  expect(await codeOf(rest.post(`/channels/${channel}/messages/${deleted}/threads`, { body: { name: "x" } }))).toBe(
    10_008
  )
})

it("says who is notified, unless no one may be", async () => {
  await using all = await open({ pace: false })
  const { discord, rest } = all
  const direct = discord.direct()
  const content = "@everyone <@100000000000001001> <@&203040506070809010>"
  await write(rest, direct, { content })
  await write(rest, direct, { content, allowed_mentions: { parse: [] } })
  expect(discord.chat(direct).map(({ notified }) => notified)).toEqual([
    ["everyone", "100000000000001001", "203040506070809010"],
    []
  ])
})

it("says in headers when the next message is taken: a client that waits breaks nothing", async () => {
  await using all = await open({ pace: { channel: { most: 2, spanMs: 150 } } })
  const { discord, rest } = all
  const direct = discord.direct()
  const texts = Array.from({ length: 7 }, (_, at) => `message ${at}`)
  await Promise.all(texts.map((content) => write(rest, direct, { content })))
  expect(discord.chat(direct).map(({ text }) => text)).toEqual(texts)
  expect(discord.violations()).toEqual([])
  const hasty = (content: string) =>
    fetch(`${discord.url}/v10/channels/${direct}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
      body: JSON.stringify({ content })
    })
  let refused = await hasty("a")
  while (refused.status === 200) refused = await hasty("a")
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ global: false, retry_after: expect.any(Number) })
  expect((await hasty("b")).status).toBe(429)
  expect(discord.violations().map(({ rule }) => rule)).toEqual(["pace", "forbidden"])
})

it("tells of messages, presses and commands; a press is answered once, within 3 s", async () => {
  await using all = await open({ pace: false })
  const { discord, rest, manager, received } = all
  await manager.connect()
  discord.say("one")
  discord.say("two", { channel })
  expect((await received(({ d }) => d["content"] === "one")).d).toMatchObject({ author: { global_name: "Ann" } })
  expect((await received(({ d }) => d["content"] === "two")).d).toMatchObject({
    channel_id: channel,
    member: { roles: [] }
  })
  const direct = discord.direct()
  const { id: messageId } = await write(rest, direct, {
    content: "May I?",
    components: [{ type: 1, components: [{ type: 2, style: 1, label: "Yes", custom_id: "y" }] }]
  })
  const answer = ({ d }: Event) =>
    rest.post(`/interactions/${String(d["id"])}/${String(d["token"])}/callback`, {
      body: { type: 4, data: { content: "Gladly", flags: 64 } },
      auth: false
    })
  const press = discord.press({ channel: direct, messageId }, "Yes")
  const pressed = await received(({ t, d }) => t === "INTERACTION_CREATE" && d["id"] === press)
  await answer(pressed)
  expect(discord.acknowledgements()).toMatchObject([{ press, text: "Gladly", isEphemeral: true }])
  expect(await codeOf(answer(pressed))).toBe(40_060)
  const late = discord.command("stop")
  const command = await received(({ d }) => d["id"] === late)
  discord.advance(3_000)
  expect(await codeOf(answer(command))).toBe(10_062)
})

it("gives everything once after a resume, and anew after a session that is over", async () => {
  await using all = await open({ pace: false })
  const { discord, manager, events, received } = all
  await manager.connect()
  for (const [at, end] of [() => discord.gateway.reconnect(), () => discord.gateway.cut(4_000)].entries()) {
    end()
    await discord.until(() => (discord.listeners() === 0 ? true : undefined))
    discord.say(`meanwhile ${at}`)
    await received(({ d }) => d["content"] === `meanwhile ${at}`)
  }
  expect(discord.gateway.identifies()).toBe(1)
  discord.say("last")
  await received(({ d }) => d["content"] === "last")
  const texts = events.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d["content"])
  expect(texts).toEqual(["meanwhile 0", "meanwhile 1", "last"])
})

it("leaves a client alone that is dead, and takes it in again by its session", async () => {
  await using all = await open({ pace: false, heartbeatMs: 100 })
  const { discord, manager, received } = all
  await manager.connect()
  discord.gateway.freeze()
  discord.say("unheard")
  await received(({ d }) => d["content"] === "unheard")
  expect(discord.gateway.identifies()).toBe(1)
})

it("refuses a token, and intents that the bot does not have", async () => {
  await using all = await open({ content: false })
  await expect(all.manager.connect()).rejects.toThrow()
  all.discord.revoke()
  await expect(all.rest.get("/users/@me")).rejects.toMatchObject({ status: 401 })
})

it("hides what is not meant for a bot without the content intent", async () => {
  await using all = await open({ content: false, pace: false })
  const { discord, rest } = all
  discord.say("among people", { channel })
  discord.say("<@200000000000000001> hello", { channel })
  const page = (await rest.get(`/channels/${channel}/messages`)) as Array<APIMessage>
  expect(page.map(({ content }) => content)).toEqual(["<@200000000000000001> hello", ""])
})
