/** Posts to a webhook: together, alone, in another order, once more, and cut off. */
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import { WhatsAppServer, type WhatsAppServerOptions } from "../../../src/testing.ts"

interface Received {
  readonly raw: string
  readonly signature: unknown
}

const open = async (options: WhatsAppServerOptions = {}) => {
  const wa = await WhatsAppServer.start({ pace: false, repeatMs: [10], ...options })
  const received: Array<Received> = []
  const server = createServer(async (request, response) => {
    if (request.method === "GET")
      return void response.end(new URL(request.url ?? "", "http://x").searchParams.get("hub.challenge"))
    const raw = await text(request).catch(() => undefined)
    if (raw !== undefined) received.push({ raw, signature: request.headers["x-hub-signature-256"] })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const subscribe = () => wa.subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return {
    ...{ wa, received, subscribe },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await wa[Symbol.asyncDispose]()
    }
  }
}

const textsOf = ({ raw }: Received) => [...raw.matchAll(/"body":"([^"]*)"/g)].map(([, body]) => body)
const taken = (wa: WhatsAppServer, count: number) => wa.until(() => (wa.confirmed() === count ? true : undefined))

it("puts messages and statuses of one moment into one post, in order, as escaped and signed bytes", async () => {
  await using all = await open()
  const { wa, received } = all
  await all.subscribe()
  const hello = wa.say("é / 👋")
  wa.say("two")
  wa.tell(hello, { status: "read" })
  wa.say("three")
  await taken(wa, 1)
  const [only] = received
  expect(received).toHaveLength(1)
  expect(only && textsOf(only)).toEqual([String.raw`\u00e9 \/ \ud83d\udc4b`, "two", "three"])
  expect(only?.raw).toMatch(/^[\0-~]*$/)
  expect(only?.signature).toBe(
    `sha256=${createHmac("sha256", wa.appSecret)
      .update(only?.raw ?? "")
      .digest("hex")}`
  )
  expect(
    JSON.parse(only?.raw ?? "").entry[0].changes.map((change: { value: object }) => Object.keys(change.value))
  ).toEqual([
    ["messaging_product", "metadata", "contacts", "messages"],
    ["messaging_product", "metadata", "statuses"],
    ["messaging_product", "metadata", "contacts", "messages"]
  ])
})

it("keeps messages until a webhook takes them", async () => {
  await using all = await open()
  all.wa.say("early")
  await all.wa.until(() => (all.wa.pending().length === 1 ? true : undefined))
  await all.subscribe()
  await taken(all.wa, 1)
  expect(all.received.flatMap(textsOf)).toEqual(["early"])
})

it("posts each alone and the later ones first, where a test wants disorder", async () => {
  await using all = await open({ perPost: 1, reversed: true })
  for (const each of ["one", "two", "three"]) all.wa.say(each)
  await all.subscribe()
  await taken(all.wa, 3)
  expect(all.wa.posts()).toHaveLength(3)
  for (const each of ["four", "five"]) all.wa.say(each)
  await taken(all.wa, 5)
  expect(
    all.wa
      .posts()
      .slice(3)
      .map(({ id }) => id)
  ).toEqual([5, 4])
})

it("posts the same once more, unasked or because the answer was cut off", async () => {
  await using all = await open()
  const { wa, received } = all
  await all.subscribe()
  wa.fail("webhook", "cutBefore")
  wa.fail("webhook", "cutAfter")
  const message = wa.say("again")
  await taken(wa, 1)
  expect(received.flatMap(textsOf)).toEqual(["again", "again"])
  expect(wa.posts().map(({ status }) => status)).toEqual([undefined, undefined, 200])
  wa.again(message)
  await taken(wa, 2)
  expect(received.flatMap(textsOf)).toEqual(["again", "again", "again"])
})

it("gives up after seven days", async () => {
  await using wa = await WhatsAppServer.start({ now: () => Date.UTC(2026, 10, 25), repeatMs: [6 * 86_400_000] })
  const server = createServer((request, response) => {
    const challenge = new URL(request.url ?? "", "http://x").searchParams.get("hub.challenge")
    response.writeHead(challenge === null ? 500 : 200).end(challenge ?? "")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await wa.subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    wa.say("nobody")
    const failed = (count: number) =>
      wa.until(() => (wa.posts().filter(({ status }) => status === 500).length === count ? true : undefined))
    await failed(1)
    wa.advance(6 * 86_400_000)
    await failed(2)
    wa.advance(6 * 86_400_000)
    expect(wa.posts()).toHaveLength(2)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
