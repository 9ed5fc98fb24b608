/**
 * Events over HTTP, as an application serves them: over Node's own server and over Hono, with connections that are cut and
 * clients that come back, and requests that are answered from a browser.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { text as bodyOf } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { Hono } from "hono"
import { assert, describe, it } from "vitest"
import {
  type AgentEvent,
  Approvals,
  type createAgent,
  createEventFeed,
  type PlainEventFeed,
  stamped
} from "../../src/promise.ts"
import { FakeCli, LiveStep, Step, testAgent } from "../../src/testing.ts"
import { isAlive, until } from "../kit/processes.ts"
import { agentOver } from "./plain.ts"

const text = (words: string): AgentEvent => ({ type: "text", text: words })

/** Some clients break lines at the last three of its characters. */
const odd = "wörld 🙂\r\n\u2028\u2029\u0085"

/** Events that wait for the test between two of them. */
const makeSource = () => {
  const waiting: Array<() => void> = []
  const left = Promise.withResolvers<void>()
  let isLeft = false
  const input: Array<AgentEvent> = []
  let isOver = false
  const wake = () => {
    for (const waker of waiting.splice(0)) waker()
  }
  const events: AsyncIterable<AgentEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        while (input.length === 0 && !isOver) await new Promise<void>((resolve) => waiting.push(resolve))
        const value = input.shift()
        return value === undefined ? { done: true, value } : { done: false, value }
      },
      return: async () => {
        isLeft = true
        left.resolve()
        isOver = true
        wake()
        return { done: true, value: undefined }
      }
    })
  }
  return {
    events,
    isLeft: () => isLeft,
    left: left.promise,
    give: (...more: ReadonlyArray<AgentEvent>) => {
      input.push(...more)
      wake()
    },
    end: () => {
      isOver = true
      wake()
    }
  }
}

/** As the documentation has it. */
const onNode =
  (feed: PlainEventFeed): RequestListener =>
  async (request, response) => {
    const { status, headers, body } = feed.response(request)
    response.writeHead(status, Object.fromEntries(headers))
    if (body === null) response.end()
    else await pipeline(Readable.fromWeb(body), response).catch(() => {})
  }

const listening = async (listener: RequestListener) => {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // of a server that listens on a port
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { server, url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: close }
}

interface Frame {
  readonly id: string | undefined
  readonly data: AgentEvent | undefined
}

const frameOf = (frame: string): Frame => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(frame)?.[1]
  const data = field("data")
  return { id: field("id"), data: data === undefined ? undefined : JSON.parse(data) }
}

/** A client as a browser is one: it knows the last id, and takes frames one after the other. */
const makeClient = (get: (headers: Record<string, string>) => Promise<Response>) => {
  let lastId: string | undefined
  let reader: ReadableStreamDefaultReader<string> | undefined
  let rest = ""
  const connect = async () => {
    const response = await get(lastId === undefined ? {} : { "last-event-id": lastId })
    reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    rest = ""
    return response.status
  }
  /** The next event; undefined at the end of the response. */
  const next = async (): Promise<AgentEvent | undefined> => {
    for (;;) {
      const end = rest.indexOf("\n\n")
      if (end === -1) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) return undefined
        rest += value
        continue
      }
      const { id, data } = frameOf(rest.slice(0, end))
      rest = rest.slice(end + 2)
      lastId = id ?? lastId
      if (data !== undefined) return data
    }
  }
  const all = async () => {
    const events: Array<AgentEvent> = []
    for (let event = await next(); event !== undefined; event = await next()) events.push(event)
    return events
  }
  return { connect, next, all, cut: async () => reader?.cancel() }
}

const servers = [
  {
    name: "node:http",
    serve: async (feed: PlainEventFeed) => {
      const { url, [Symbol.asyncDispose]: dispose } = await listening(onNode(feed))
      return { get: (headers: Record<string, string>) => fetch(url, { headers }), [Symbol.asyncDispose]: dispose }
    }
  },
  {
    name: "Hono",
    serve: async (feed: PlainEventFeed) => {
      const app = new Hono().get("/", (context) => feed.response(context.req.raw))
      const get = async (headers: Record<string, string>) => app.request("/", { headers })
      return { get, [Symbol.asyncDispose]: async () => {} }
    }
  }
]

describe.each(servers)("over $name", ({ serve }) => {
  it("a client that is cut off goes on where it was, and stops when it has all", async () => {
    const { events, give, end } = makeSource()
    await using feed = createEventFeed(events)
    await using served = await serve(feed)
    const client = makeClient(served.get)
    give(text("a"), text("b"))
    assert.strictEqual(await client.connect(), 200)
    assert.deepStrictEqual([await client.next(), await client.next()], [text("a"), text("b")])
    give(text("c"))
    assert.deepStrictEqual(await client.next(), text("c"))
    await client.cut()
    give(text("d"), text(odd))
    assert.strictEqual(await client.connect(), 200)
    assert.deepStrictEqual(await client.next(), text("d"))
    assert.deepStrictEqual(await client.next(), text(odd))
    end()
    assert.isUndefined(await client.next())
    assert.strictEqual(await client.connect(), 204)
    const other = makeClient(served.get)
    await other.connect()
    assert.lengthOf(await other.all(), 5)
  })

  it("many clients have the same, each at its own pace; none is left when they are gone", async () => {
    const { events, give, isLeft, left } = makeSource()
    await using feed = createEventFeed(events, { abandonAfterMs: 1_000 })
    await using served = await serve(feed)
    const clients = Array.from({ length: 20 }, () => makeClient(served.get))
    await Promise.all(clients.map(({ connect }) => connect()))
    const input = Array.from({ length: 300 }, (_, at) => text(`${at} ${"x".repeat(1_000)}`))
    give(...input)
    for (const { next } of clients.slice(0, 10)) {
      for (const event of input) assert.deepStrictEqual(await next(), event)
    }
    assert.isFalse(isLeft())
    await Promise.all(clients.map(({ cut }) => cut()))
    await left
  })
})

describe("a run of a real process", () => {
  it("is served whole, `done` last, however often the client is cut off", async () => {
    const words = Array.from({ length: 40 }, (_, at) => Step.text(`${at} `))
    await using fake = await FakeCli.install(FakeCli.claude(words))
    await using agent = agentOver({ command: fake.command })
    await using feed = createEventFeed(agent.execute({ prompt: "count" }))
    await using served = await listening(onNode(feed))
    const client = makeClient((headers) => fetch(served.url, { headers }))
    const events: Array<AgentEvent> = []
    while ((await client.connect()) === 200) {
      for (let count = 0; count < 7; count++) {
        const event = await client.next()
        if (event !== undefined) events.push(event)
      }
      await client.cut()
    }
    const last = events.at(-1)
    assert.deepStrictEqual(
      events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(""),
      last?.type === "done" ? last.result.text : ""
    )
    assert.strictEqual(events.filter(({ type }) => type === "done").length, 1)
    assert.deepStrictEqual(
      (await Array.fromAsync(feed.after())).map(({ event }) => event),
      events
    )
  })

  it("is ended when its last client is gone for long enough, and by `close`", async () => {
    for (const way of ["abandoned", "closed"] as const) {
      await using fake = await FakeCli.install(FakeCli.claude([Step.text("a"), Step.hang()]))
      await using agent = agentOver({ command: fake.command })
      await using feed = createEventFeed(
        agent.execute({ prompt: "wait" }),
        way === "closed" ? {} : { abandonAfterMs: 1_000 }
      )
      await using served = await listening(onNode(feed))
      const abort = new AbortController()
      const client = makeClient((headers) => fetch(served.url, { headers, signal: abort.signal }))
      await client.connect()
      const { pid } = await fake.started()
      while (((await client.next()) ?? assert.fail("ended"))?.type !== "text") {}
      assert.isTrue(isAlive(pid))
      if (way === "closed") await feed.close()
      else abort.abort()
      // To read the feed would keep it.
      await Effect.runPromise(until(() => !isAlive(pid)))
      const rest = await Array.fromAsync(feed.after())
      assert.strictEqual(rest.at(-1)?.event.type, way === "closed" ? "text" : "notice")
    }
  })
})

describe("a feed whose events are over", () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length

  it("keeps no host waiting for readers", async () => {
    const before = timers()
    const feeds = Array.from({ length: 20 }, () =>
      createEventFeed(testAgent([text("a")]).execute({ prompt: "go" }), { abandonAfterMs: 3_600_000 })
    )
    await Promise.all(feeds.map(({ ended }) => ended))
    await Promise.all(feeds.map((feed) => Array.fromAsync(feed.after())))
    await new Promise(setImmediate)
    assert.isBelow(timers() - before, 20)
  })
})

describe("approvals over HTTP", () => {
  /** As the documentation has it. */
  const approving = async (session: Awaited<ReturnType<ReturnType<typeof createAgent>["open"]>>) => {
    const feed = createEventFeed(session.events)
    const answer = async (request: IncomingMessage) => {
      const { requestId, ...decision } = JSON.parse(await bodyOf(request))
      return (await session.decide(requestId, decision)) ? 204 : 409
    }
    const served = await listening(async (request, response) => {
      if (request.method === "GET") return onNode(feed)(request, response)
      response.writeHead(await answer(request).catch(() => 400)).end()
      return undefined
    })
    return { ...served, feed }
  }

  it("are answered once, and an invalid answer leaves the request open", async () => {
    await using fake = await FakeCli.install(
      FakeCli.live("claude", [[LiveStep.command({ command: "make", output: "made", ask: true })]])
    )
    await using agent = agentOver({ command: fake.command })
    await using session = await agent.open({ approvals: [Approvals.ask()] })
    await using served = await approving(session)
    const post = async (body: unknown) =>
      (await fetch(served.url, { method: "POST", body: JSON.stringify(body) })).status
    const client = makeClient((headers) => fetch(served.url, { headers }))
    await client.connect()
    await session.send("build it")
    let requestId = ""
    while (requestId === "") {
      const event = await client.next()
      if (event?.type === "permission_request") requestId = event.requestId
    }
    const statuses = [
      await post("?"),
      await post({ requestId, decision: "perhaps" }),
      await post({ requestId: "other", decision: "allow" }),
      await post({ requestId, decision: "allow" }),
      await post({ requestId, decision: "deny" })
    ]
    assert.deepStrictEqual(statuses, [400, 400, 400, 204, 409])
    const known: Array<AgentEvent> = []
    while (known.at(-1)?.type !== "turn_done") known.push((await client.next()) ?? assert.fail("ended"))
    assert.deepInclude(
      known.find(({ type }) => type === "permission_decision"),
      { decision: "allow", by: "caller" }
    )
    await session.close()
    assert.strictEqual((await client.all()).at(-1)?.type, "done")
    await served.feed.close()
  })
})

it("stamped: each event with its position and time", async () => {
  await using agent = testAgent([text("a")])
  const before = Date.now()
  const stamps = await Array.fromAsync(stamped(agent.execute({ prompt: "hi" })))
  assert.deepStrictEqual(
    stamps.map(({ position, event }) => [position, event.type]),
    [
      [1, "text"],
      [2, "done"]
    ]
  )
  for (const { at } of stamps) assert.isTrue(at >= before && at <= Date.now())
})

describe("a wrong call is refused at once", () => {
  const js = <A>(value: unknown): A => value as A // as plain JavaScript may

  it.each<readonly [string, () => unknown, string]>([
    ["a number below 0", () => createEventFeed(makeSource().events, { keep: -1 }), "keep is not a number above 0"],
    [
      "an unknown option",
      () => createEventFeed(makeSource().events, js({ heartbeat: 5 })),
      'heartbeat is not a known option; did you mean "heartbeatMs"?'
    ],
    ["no options", () => createEventFeed(makeSource().events, js(null)), "the options are not an object"],
    [
      "an agent for its events",
      () => createEventFeed(js(testAgent([]))),
      "the events are not an AsyncIterable, such as agent."
    ],
    ["nothing", () => createEventFeed(js(undefined)), "the events are not an AsyncIterable, such as agent."],
    [
      "a text for a position",
      () => createEventFeed(makeSource().events).after(js("2")),
      "the position is not a number from 0 on"
    ],
    [
      "an invalid request",
      () => createEventFeed(makeSource().events).response(js({ header: () => "" })),
      "the request has no headers; with Hono, pass c.req.raw"
    ]
  ])("%s", (_, call, message) => assert.throws(call, TypeError, `event feed: ${message}`))
})
