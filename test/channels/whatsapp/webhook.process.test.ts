/** The webhook: what is Meta's is taken once it is stored, and what is not changes nothing. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { WhatsApp } from "../../../src/channels/whatsapp/WhatsApp.ts"
import { WhatsAppServer } from "../../../src/testing/Scoped.ts"
import {
  ann,
  annNumber,
  asTimePasses,
  listenTo,
  openFor,
  optionsFor,
  overheard,
  phone,
  start,
  textOf,
  untilTrue
} from "./kit.ts"

const post = (webhook: string, body: string, headers: Record<string, string> = {}) =>
  Effect.promise(() =>
    fetch(webhook, { method: "POST", headers: { "content-type": "application/json", ...headers }, body }).then(
      async (response) => ({ status: response.status, text: await response.text() })
    )
  )

const rawPost = (text: string, { id = "wamid.X1", to = phone } = {}) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        changes: [
          {
            field: "messages",
            value: {
              metadata: { phone_number_id: to },
              messages: [{ from: annNumber, from_user_id: ann, id, timestamp: "1", type: "text", text: { body: text } }]
            }
          }
        ]
      }
    ]
  })

const signed = (wa: WhatsAppServer, raw: string) => ({ "x-hub-signature-256": wa.sign(raw) })

describe("the challenge of a webhook", () => {
  it.live("is given back for the verify token alone", () =>
    Effect.gen(function* () {
      const { wa, webhook } = yield* start()
      const ask = (query: Record<string, string>) =>
        Effect.promise(() =>
          fetch(`${webhook}?${new URLSearchParams(query)}`).then(async (answer) => [answer.status, await answer.text()])
        )
      const right = { "hub.mode": "subscribe", "hub.verify_token": wa.verifyToken, "hub.challenge": "<b>7</b>" }
      assert.deepStrictEqual(yield* ask(right), [200, "<b>7</b>"])
      for (const wrong of [
        { ...right, "hub.verify_token": "another" },
        { ...right, "hub.mode": "unsubscribe" },
        { ...right, "hub.challenge": "x".repeat(257) },
        {}
      ])
        assert.deepStrictEqual(yield* ask(wrong), [403, ""])
      const type = yield* Effect.promise(() => fetch(`${webhook}?${new URLSearchParams(right)}`))
      assert.strictEqual(type.headers.get("content-type"), "text/plain; charset=utf-8")
      assert.strictEqual(type.headers.get("x-content-type-options"), "nosniff")
    }).pipe(Effect.scoped)
  )
})

describe("a post to a webhook", () => {
  it.live("is heard where it is signed, over its raw bytes", () =>
    Effect.gen(function* () {
      const { wa, channel, webhook } = yield* start()
      const { heard: received, until } = yield* listenTo(channel)
      wa.say("é 👋 /")
      yield* until(1)
      const escaped = rawPost("\u00e9").replace("é", "\\u00e9").replaceAll("/", "\\/")
      assert.strictEqual((yield* post(webhook, escaped, signed(wa, escaped))).status, 200)
      assert.deepStrictEqual(received.map(textOf), ["é 👋 /", "é"])
    }).pipe(Effect.scoped)
  )

  it.live("is refused before it is parsed where it is forged", () =>
    Effect.gen(function* () {
      const { wa, channel, webhook } = yield* start()
      const { heard: received } = yield* listenTo(channel)
      const raw = rawPost("let me in")
      const right = wa.sign(raw)
      const forged: ReadonlyArray<Record<string, string>> = [
        {},
        { "x-hub-signature-256": "" },
        { "x-hub-signature-256": "sha256=" },
        { "x-hub-signature-256": right.replace("sha256=", "") },
        { "x-hub-signature-256": right.slice(0, -1) },
        { "x-hub-signature-256": `${right}0` },
        { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
        { "x-hub-signature-256": wa.sign(`${raw} `) },
        { "x-hub-signature-256": `${right}, ${right}` },
        { "x-hub-signature": right }
      ]
      for (const headers of forged)
        assert.deepStrictEqual(yield* post(webhook, raw, headers), { status: 401, text: "" })
      // Neither does a signature go with another body.
      assert.strictEqual(
        (yield* post(webhook, raw.replace("let", "Let"), { "x-hub-signature-256": right })).status,
        401
      )
      for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"]) {
        const { status } = yield* Effect.promise(() => fetch(webhook, { method }))
        assert.strictEqual(status, 405)
      }
      assert.deepStrictEqual(received, [])
    }).pipe(Effect.scoped)
  )

  it.live("is passed over with 200 where it is signed, but not for us", () =>
    Effect.gen(function* () {
      const { wa, channel, webhook } = yield* start()
      const { heard: received } = yield* listenTo(channel)
      for (const raw of [
        rawPost("x", { to: "999" }),
        "no JSON",
        "[]",
        "null",
        "{}",
        `{"object":"instagram"}`,
        "[".repeat(100_000)
      ])
        assert.strictEqual((yield* post(webhook, raw, signed(wa, raw))).status, 200)
      assert.deepStrictEqual(received, [])
    }).pipe(Effect.scoped)
  )

  it.live("is heard once, however often it comes", () =>
    Effect.gen(function* () {
      const { wa, channel, webhook } = yield* start()
      const { heard: received } = yield* listenTo(channel)
      const raw = rawPost("once")
      for (let time = 0; time < 3; time++) assert.strictEqual((yield* post(webhook, raw, signed(wa, raw))).status, 200)
      assert.deepStrictEqual(received.map(textOf), ["once"])
    }).pipe(Effect.scoped)
  )

  it.live("comes to one path and to no other", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start({}, { path: "/secret/hook" })
      const { heard: received } = yield* listenTo(channel)
      const raw = rawPost("x")
      const { port } = channel
      for (const path of ["/", "/whatsapp", "/secret/hook/", "/secret", "//secret/hook", "/secret/hook2"])
        assert.strictEqual((yield* post(`http://127.0.0.1:${port}${path}`, raw, signed(wa, raw))).status, 404, path)
      const there = yield* post(`http://127.0.0.1:${port}/secret/hook?x=1`, raw, signed(wa, raw))
      assert.strictEqual(there.status, 200)
      assert.deepStrictEqual(received.map(textOf), ["x"])
    }).pipe(Effect.scoped)
  )

  it.live("is refused where it is huge, before its end, and ignored where it is cut off", () =>
    Effect.gen(function* () {
      const { wa, channel, webhook } = yield* start()
      const { heard: received, until } = yield* listenTo(channel)
      const headers = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }
      assert.strictEqual((yield* post(webhook, "x".repeat(4_000_001), headers)).status, 413)
      const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) })
      const answer = yield* Effect.promise(() =>
        fetch(webhook, { method: "POST", headers, body: endless, duplex: "half" } as RequestInit).then(
          ({ status }) => status,
          () => "cut"
        )
      )
      assert.include([413, "cut"], answer)
      wa.fail("webhook", "cutBefore")
      wa.say("whole")
      yield* until(1)
      assert.deepStrictEqual(received.map(textOf), ["whole"])
    }).pipe(Effect.scoped)
  )

  it.effect("is given up where its body does not come, and others are taken meanwhile", () =>
    Effect.gen(function* () {
      const { channel, webhook, wa } = yield* start()
      const { heard: received } = yield* listenTo(channel)
      const { port } = new URL(webhook)
      let answer = ""
      const slow = connect(Number(port), "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => slow.destroy()))
      slow.on("data", (chunk) => {
        answer += chunk.toString()
      })
      const head = `POST /whatsapp HTTP/1.1\r\nhost: x\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\ncontent-length: 100\r\n\r\n{`
      yield* Effect.promise(() => new Promise<void>((resolve) => slow.write(head, () => resolve())))
      const raw = rawPost("meanwhile")
      assert.strictEqual((yield* post(webhook, raw, signed(wa, raw))).status, 200)
      assert.deepStrictEqual(received.map(textOf), ["meanwhile"])
      yield* TestClock.adjust("10 seconds")
      yield* untilTrue(() => answer.includes("\r\n"))
      assert.include(answer, "HTTP/1.1 408")
      // The answer of the handler, before that of Node.
      assert.include(answer, "nosniff")
    }).pipe(Effect.scoped)
  )
})

describe("many posts at once", () => {
  it.effect("are refused where they are more than is held in memory, and cost little while they are slow", () =>
    Effect.gen(function* () {
      const { channel, webhook, wa } = yield* start()
      const { heard: received } = yield* listenTo(channel)
      const { port } = new URL(webhook)
      const open = (bytes: number) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const socket = connect(Number(port), "127.0.0.1")
            const signature = `x-hub-signature-256: sha256=${"0".repeat(64)}`
            socket.write(`POST /whatsapp HTTP/1.1\r\nhost: x\r\n${signature}\r\ncontent-length: 4000000\r\n\r\n`)
            socket.write("x".repeat(bytes))
            const received = { status: "", socket }
            socket.on("data", (chunk) => {
              received.status ||= chunk.toString().slice(9, 12)
            })
            socket.on("error", () => {})
            return received
          }),
          ({ socket }) => Effect.sync(() => socket.destroy())
        )
      yield* Effect.replicateEffect(open(10), 60)
      const raw = rawPost("between slow ones")
      assert.strictEqual((yield* post(webhook, raw, signed(wa, raw))).status, 200)
      const large = yield* Effect.replicateEffect(open(3_900_000), 18)
      yield* untilTrue(() => large.some(({ status }) => status === "503"))
      yield* TestClock.adjust("10 seconds")
      yield* untilTrue(() => large.every(({ status }) => status !== ""))
      const other = rawPost("afterwards", { id: "wamid.X2" })
      assert.strictEqual((yield* post(webhook, other, signed(wa, other))).status, 200)
      assert.deepStrictEqual(received.map(textOf), ["between slow ones", "afterwards"])
    }).pipe(Effect.scoped)
  )
})

describe("a post that is not stored", () => {
  it.effect("is answered with 503 after 8 s, and is heard when it comes again", () =>
    Effect.gen(function* () {
      const { channel, webhook, wa } = yield* start()
      const raw = rawPost("later")
      const posting = yield* Effect.forkChild(post(webhook, raw, signed(wa, raw)))
      const refused = yield* asTimePasses(Fiber.join(posting))
      assert.strictEqual(refused.status, 503)
      assert.isAtMost(yield* Clock.currentTimeMillis, 9_000)
      const { heard: received } = yield* listenTo(channel)
      assert.strictEqual((yield* post(webhook, raw, signed(wa, raw))).status, 200)
      assert.deepStrictEqual(received.map(textOf), ["later"])
    }).pipe(Effect.scoped)
  )

  it.live("is answered with 200 when the last of its messages is, and not before", () =>
    Effect.gen(function* () {
      const { channel, wa } = yield* start({ repeatMs: [1e9] })
      const confirms: Array<Effect.Effect<void>> = []
      yield* Effect.forkScoped(
        Stream.runForEach(channel.incoming(undefined), ({ confirm }) => Effect.sync(() => confirms.push(confirm)))
      )
      for (const text of ["one", "two", "three"]) wa.say(text)
      yield* untilTrue(() => confirms.length === 3)
      for (const confirm of confirms.slice(0, 2)) yield* confirm
      yield* confirms[0] ?? Effect.void
      assert.strictEqual(wa.posts()[0]?.status, undefined)
      yield* confirms[2] ?? Effect.void
      yield* Effect.promise(() => wa.until(() => (wa.confirmed() === 1 ? true : undefined)))
      assert.strictEqual(wa.posts().length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is answered with 503 at once when its reader ends", () =>
    Effect.gen(function* () {
      const { channel, wa } = yield* start({ repeatMs: [1e9] })
      wa.say("one")
      const [first] = yield* Stream.runCollect(Stream.take(channel.incoming(undefined), 1))
      assert.strictEqual(first && textOf(first), "one")
      yield* Effect.promise(() => wa.until(() => wa.posts().find(({ status }) => status === 503)))
    }).pipe(Effect.scoped)
  )

  it.effect("is refused where too many wait, and taken later", () =>
    Effect.gen(function* () {
      const { channel, wa } = yield* start({ perPost: 1_000, repeatMs: [20] })
      for (let at = 0; at < 3_000; at++) wa.say(`${at}`)
      yield* Effect.promise(() => wa.until(() => wa.posts().find(({ status }) => status === 503)))
      const { heard: received, until } = yield* listenTo(channel)
      yield* until(2_000)
      yield* TestClock.adjust("1 second")
      yield* until(3_000)
      assert.strictEqual(new Set(received.map(textOf)).size, 3_000)
    }).pipe(Effect.scoped)
  )
})

describe("the log of a webhook", () => {
  it.live("names the messages that could not be read, and both ids of a person who has changed", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { channel, wa } = yield* start()
      const { until } = yield* listenTo(channel)
      wa.say("", { more: { type: "text", text: { body: 7 } } })
      wa.say("", { more: { type: "system", system: { type: "user_changed_user_id", user_id: "US.2", body: "x" } } })
      wa.say("last")
      yield* until(1)
      const log = lines.join("\n")
      assert.include(log, "could not be read")
      assert.include(log, "another id")
      for (const id of [ann, "US.2"]) assert.include(log, id)
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })
})

describe("a server of WhatsApp", () => {
  it.live("is gone with its scope, and takes no port that another one has", () =>
    Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make()
      const { port, webhook } = yield* Effect.scoped(
        Effect.gen(function* () {
          const { channel, webhook } = yield* openFor(wa)
          const error = yield* Effect.flip(WhatsApp.listen({ ...optionsFor(wa), port: channel.port }))
          assert.strictEqual(error._tag, "PortTaken")
          return { port: channel.port, webhook }
        })
      )
      assert.isAbove(port, 0)
      const answer = yield* Effect.promise(() =>
        fetch(webhook).then(
          () => "there",
          () => "gone"
        )
      )
      assert.strictEqual(answer, "gone")
    }).pipe(Effect.scoped)
  )

  it.live("can be an application's own", () =>
    Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make()
      const { channel, handler } = yield* WhatsApp.make(optionsFor(wa))
      const { heard: received } = yield* listenTo(channel)
      const raw = rawPost("mounted")
      const request = (headers: Record<string, string>) =>
        new Request("http://app/any", { method: "POST", headers, body: raw })
      assert.strictEqual((yield* Effect.promise(() => handler(request(signed(wa, raw))))).status, 200)
      assert.strictEqual((yield* Effect.promise(() => handler(request({})))).status, 401)
      assert.strictEqual(
        (yield* Effect.promise(() => handler(new Request("http://app/any", { method: "PUT" })))).status,
        405
      )
      assert.deepStrictEqual(received.map(textOf), ["mounted"])
    }).pipe(Effect.scoped)
  )
})
