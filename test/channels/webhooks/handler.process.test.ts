/** The server of webhooks: what is taken, once it is stored, and what is sent away, with its reason. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { overheard } from "../telegram/kit.ts"
import { deliver, listen, quietly, secret, signed, storing, webhook } from "./kit.ts"

const id = (text: string) => ({ "x-github-delivery": text })

describe("a delivery", () => {
  it.live("is answered 202 once it is stored, as a message of its webhook", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const stored = yield* storing(listening)
      const { status, headers, body } = yield* deliver(listening.origin, '{"title":"é /stop"}', { headers: id("d1") })
      assert.deepStrictEqual([status, body], [202, { status: "taken", delivery: "d1" }])
      assert.strictEqual(headers.get("content-type"), "application/json; charset=utf-8")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      const [message] = stored
      assert.deepInclude(message, {
        conversation: { channel: "webhook", accountId: "webhooks", chatId: "webhook:pulls" },
        updateId: "delivery/pulls/d1",
        chat: "direct",
        sender: { id: "pulls", name: "pulls", isBot: false },
        attachments: [],
        whileBusy: "queue"
      })
      assert.match(message?.text ?? "", /\n\nLook at <data-[\da-f]{16}>"é \/stop"<\/data-[\da-f]{16}>$/)
    }).pipe(quietly)
  )

  it.live("has marks of its own each time", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const stored = yield* storing(listening)
      yield* deliver(listening.origin)
      yield* deliver(listening.origin)
      assert.strictEqual(new Set(stored.map(({ text }) => text)).size, 2)
    }).pipe(quietly)
  )

  it.live(
    "that comes again is answered 200, and starts nothing: also at once, and at a server that did not see it",
    () =>
      Effect.gen(function* () {
        const listening = yield* listen()
        const stored = yield* storing(listening, ({ updateId }) => (updateId.endsWith("old") ? "known" : undefined))
        const statuses = yield* Effect.forEach(
          Array.from({ length: 5 }, () => id("same")),
          (headers) => Effect.map(deliver(listening.origin, undefined, { headers }), ({ status }) => status),
          { concurrency: 5 }
        )
        assert.deepStrictEqual(statuses.sort(), [200, 200, 200, 200, 202])
        for (const known of ["same", "old"]) {
          const { status, body } = yield* deliver(listening.origin, '{"title":"other"}', { headers: id(known) })
          assert.deepStrictEqual([status, body.status], [200, "already taken"])
        }
        assert.strictEqual(stored.length, 1)
      }).pipe(quietly)
  )

  it.live("without an id is known by its body, and so is each where bodies count", () =>
    Effect.gen(function* () {
      const listening = yield* listen([webhook(), webhook({ name: "bodies", once: "body" })])
      const stored = yield* storing(listening)
      const statusOf = (body: string, name: string, headers: Record<string, string>) =>
        Effect.map(deliver(listening.origin, body, { name, headers }), ({ status }) => status)
      assert.strictEqual(yield* statusOf('{"title":1}', "pulls", id("")), 202)
      assert.strictEqual(yield* statusOf('{"title":1}', "pulls", id("")), 200)
      assert.strictEqual(yield* statusOf('{"title":2}', "pulls", id("")), 202)
      // Someone who has a signed delivery could give it another id, which is not signed.
      assert.strictEqual(yield* statusOf('{"title":1}', "bodies", id("a")), 202)
      assert.strictEqual(yield* statusOf('{"title":1}', "bodies", id("b")), 200)
      assert.strictEqual(stored.length, 3)
    }).pipe(quietly)
  )

  it.live.each([
    ["forged", { "x-hub-signature-256": signed("another body") }],
    ["signed with another secret", { "x-hub-signature-256": signed('{"title":"one"}', "another secret of 16") }],
    ["with an empty signature", { "x-hub-signature-256": "" }],
    ["with the secret itself", { "x-hub-signature-256": secret, authorization: `Bearer ${secret}` }]
  ] as const)("that is %s is refused before it is parsed", ([, headers]) =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const stored = yield* storing(listening)
      for (const body of ['{"title":"one"}', "not json", ""]) {
        const answer = yield* deliver(listening.origin, body, { headers })
        if (body === '{"title":"one"}') assert.strictEqual(answer.status, 401)
        assert.include([401], answer.status)
        assert.deepStrictEqual(answer.body, { error: "The proof of the sender is missing or wrong" })
      }
      assert.deepStrictEqual(stored, [])
    }).pipe(quietly)
  )

  it.live("is refused where it is not for a webhook, and not posted", () =>
    Effect.gen(function* () {
      const { origin } = yield* listen()
      for (const path of [
        "/",
        "/hooks",
        "/hooks/",
        "/hooks/other",
        "/hooks/pulls/",
        "/hooks/pulls/x",
        "/hooks/__proto__",
        "/hooks/..%2fpulls",
        "/hooks/constructor"
      ])
        assert.strictEqual((yield* Effect.promise(() => fetch(origin + path, { method: "POST" }))).status, 404)
      for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const response = yield* Effect.promise(() => fetch(`${origin}/hooks/pulls`, { method }))
        assert.deepStrictEqual([response.status, response.headers.get("allow")], [405, "POST"])
      }
    }).pipe(quietly)
  )

  it.live.each<readonly [string, number, string | RegExp, string, Record<string, string>]>([
    [
      "a form",
      415,
      /choose it where the webhook is set up$/,
      "payload=1",
      { "content-type": "application/x-www-form-urlencoded" }
    ],
    ["a text", 415, /application\/json/, '{"title":1}', { "content-type": "text/plain" }],
    ["without a type", 415, /application\/json/, '{"title":1}', { "content-type": "" }],
    ["not JSON", 400, "The body is not JSON", '{"title":', {}],
    ["empty", 400, "The body is not JSON", "", {}],
    [
      "nested deeply",
      400,
      "The body is nested deeper than 100 levels",
      `{"title":${"[".repeat(4_000)}${"]".repeat(4_000)}}`,
      {}
    ],
    [
      "without a field of the prompt",
      422,
      "The delivery has no field title, which the prompt of this webhook names",
      '{"name":1}',
      {}
    ],
    ["a list", 422, /no field title/, "[1]", {}],
    ["a number", 422, /no field title/, "1", {}],
    ["with a field of a prototype alone", 422, /no field title/, '{"__proto__":{"title":1}}', {}]
  ])("that is %s is answered %d, with what is wrong", ([, status, error, body, headers]) =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const stored = yield* storing(listening)
      const answer = yield* deliver(listening.origin, body, { headers })
      assert.strictEqual(answer.status, status)
      if (typeof error === "string") assert.strictEqual(answer.body.error, error)
      else assert.match(answer.body.error ?? "", error)
      assert.deepStrictEqual(stored, [])
    }).pipe(quietly)
  )

  it.live("of other forms of JSON is taken", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      yield* storing(listening)
      for (const type of [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/vnd.github+json",
        "application/cloudevents+json"
      ]) {
        const { status } = yield* deliver(listening.origin, '{"title":null}', { headers: { "content-type": type } })
        assert.strictEqual(status, 202)
      }
    }).pipe(quietly)
  )

  it.live("that begins a webhook is answered, and starts nothing", () =>
    Effect.gen(function* () {
      const listening = yield* listen([webhook(), webhook({ name: "slack", signature: "hmac" })])
      const stored = yield* storing(listening)
      const ping = yield* deliver(listening.origin, '{"zen":"x"}', { headers: { "x-github-event": "ping" } })
      assert.deepStrictEqual([ping.status, ping.body], [200, { status: "pong" }])
      const time = String(Math.floor(Date.now() / 1_000))
      const body = '{"type":"url_verification","challenge":"3eZbrw1a"}'
      const signature = signed(`v0:${time}:${body}`).replace("sha256=", "v0=")
      const headers = { "x-slack-signature": signature, "x-slack-request-timestamp": time }
      const challenge = yield* deliver(listening.origin, body, { name: "slack", headers })
      assert.deepStrictEqual([challenge.status, challenge.body], [200, { challenge: "3eZbrw1a" }])
      assert.deepStrictEqual(stored, [])
    }).pipe(quietly)
  )

  it.live.each([
    ["paused", 503, 503],
    ["full", 503, 503],
    ["paused", 429, 429],
    ["full", 202, 503],
    ["paused", 202, 202]
  ] as const)("while the bridge is %s, with pausedStatus %d, is answered %d", ([reason, pausedStatus, status]) =>
    Effect.gen(function* () {
      const listening = yield* listen([webhook({ pausedStatus })])
      const stored = yield* storing(listening, () => reason)
      const answer = yield* deliver(listening.origin)
      assert.strictEqual(answer.status, status)
      assert.strictEqual(stored.length, status === 202 ? 1 : 0)
      if (status !== 202) assert.strictEqual(answer.headers.get("retry-after"), "60")
      // It was not taken, so it may come again.
      if (status !== 202) assert.notStrictEqual((yield* deliver(listening.origin)).status, 200)
    }).pipe(quietly)
  )

  it.live("that its bridge passes over is not called taken", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const fiber = yield* Effect.forkScoped(deliver(listening.origin))
      yield* Stream.runForEach(Stream.take(listening.channel.incoming(undefined), 1), ({ confirm }) => confirm)
      assert.strictEqual((yield* Fiber.join(fiber)).status, 500)
    }).pipe(quietly)
  )

  it.effect("that nothing stores is answered 503 in time, and not taken later", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const fiber = yield* Effect.forkScoped(deliver(listening.origin))
      while (fiber.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep(5))
      }
      const answer = yield* Fiber.join(fiber)
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "60"])
      const stored = yield* storing(listening)
      const again = yield* Effect.forkScoped(deliver(listening.origin, '{"title":"later"}'))
      yield* TestClock.withLive(Fiber.join(again))
      assert.deepStrictEqual(
        stored.map(({ text }) => text.includes('"later"')),
        [true]
      )
    }).pipe(quietly)
  )
})

/** Writes raw bytes, and gives all that is answered. */
const raw = (port: number, write: (send: (text: string) => boolean, end: () => void) => void) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let text = ""
        const socket = connect(port, "127.0.0.1", () =>
          write(
            (part) => socket.write(part),
            () => socket.end()
          )
        )
        socket.setEncoding("utf8").on("data", (part: string) => {
          text += part
        })
        socket.on("error", () => {})
        socket.on("close", () => resolve(text))
      })
  )

const head = (headers: string, name = "pulls") =>
  `POST /hooks/${name} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-hub-signature-256: ${signed("x")}\r\nconnection: close\r\n${headers}\r\n`

describe("a body", () => {
  it.live("that is too large is refused by its length, before it is read", () =>
    Effect.gen(function* () {
      const { port } = yield* listen()
      const answer = yield* raw(port, (send) => send(head("content-length: 10001\r\n")))
      assert.match(answer, /^HTTP\/1\.1 413 /)
      assert.include(answer, "The body is larger than 10000 bytes")
    }).pipe(quietly)
  )

  it.live("without an end is cut off at its limit", () =>
    Effect.gen(function* () {
      const { port } = yield* listen()
      let bytes = 0
      const answer = yield* raw(port, (send) => {
        send(head("transfer-encoding: chunked\r\n"))
        const timer = setInterval(() => {
          bytes += 1_000
          if (!send(`3e8\r\n${"x".repeat(1_000)}\r\n`) || bytes > 1_000_000) clearInterval(timer)
        }, 1)
      }).pipe(
        Effect.raceFirst(Effect.never),
        Effect.timeout("20 seconds"),
        Effect.orElseSucceed(() => "")
      )
      assert.match(answer, /^HTTP\/1\.1 413 /)
    }).pipe(quietly)
  )

  it.effect("that is slow has ten seconds", () =>
    Effect.gen(function* () {
      const { port } = yield* listen()
      const fiber = yield* Effect.forkScoped(raw(port, (send) => send(`${head("content-length: 100\r\n")}{"title"`)))
      while (fiber.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep(5))
      }
      const answer = yield* Fiber.join(fiber)
      assert.match(answer, /^HTTP\/1\.1 408 /)
      assert.include(answer, "did not arrive in time")
    }).pipe(quietly)
  )

  it.live("whose sender goes away leaves nothing", () =>
    Effect.gen(function* () {
      const listening = yield* listen()
      const stored = yield* storing(listening)
      yield* raw(listening.port, (send, end) => {
        send(`${head("content-length: 100\r\n")}{"title"`)
        end()
      })
      assert.strictEqual((yield* deliver(listening.origin)).status, 202)
      assert.strictEqual(stored.length, 1)
    }).pipe(quietly)
  )
})

describe("signed bytes", () => {
  it.live("of any kind have an answer, and none is a failure of the host", () =>
    Effect.gen(function* () {
      const listening = yield* listen([webhook({ perMinute: 1_000, prompt: "{{a.b}} {{0}}" })])
      yield* storing(listening)
      const bodies = [
        ...[
          "null",
          "0",
          '""',
          "{}",
          "[]",
          '{"a":{"b":1},"0":2}',
          "[[0]]",
          '{"a":',
          "\ufeff{}",
          '{"a":{"b":"\\ud800"},"0":1}'
        ].map((text) => Buffer.from(text)),
        Buffer.from([0xff, 0xfe, 0x7b]),
        Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
        ...Array.from({ length: 200 }, (_, at) =>
          Buffer.from(Array.from({ length: at % 40 }, (_, index) => (at * 37 + index * 101) % 256))
        )
      ]
      for (const bytes of bodies) {
        const response = yield* Effect.promise(() =>
          fetch(`${listening.origin}/hooks/pulls`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-hub-signature-256": signed(bytes) },
            body: bytes
          }).then(async (answer) => ({ status: answer.status, body: JSON.parse(await answer.text()) }))
        )
        assert.include([202, 400, 422, 200], response.status)
        if (response.status >= 400) assert.isString(response.body.error)
      }
    }).pipe(quietly)
  )
})

describe("the rate", () => {
  it.live("is of each webhook, with its own status; forged and repeated deliveries do not count", () =>
    Effect.gen(function* () {
      const listening = yield* listen([webhook({ perMinute: 2, rateStatus: 503 }), webhook({ name: "other" })])
      yield* storing(listening)
      const send = (headers: Record<string, string> = {}, name = "pulls") =>
        Effect.map(deliver(listening.origin, undefined, { headers, name }), ({ status }) => status)
      for (let count = 0; count < 20; count++)
        assert.strictEqual(yield* send({ "x-hub-signature-256": signed("x") }), 401)
      assert.strictEqual(yield* send(id("one")), 202)
      for (let count = 0; count < 5; count++) assert.strictEqual(yield* send(id("one")), 200)
      assert.deepStrictEqual(
        [yield* send(), yield* send(), yield* send(), yield* send({}, "other")],
        [202, 503, 503, 202]
      )
      assert.strictEqual(yield* send(id("one")), 200)
    }).pipe(quietly)
  )
})

describe("the log", () => {
  it.live("has a line for each kind of refusal, no secret and no content, however many come", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      yield* Effect.gen(function* () {
        const listening = yield* listen([webhook({ perMinute: 20 })])
        yield* storing(listening)
        for (let count = 0; count < 3; count++) {
          yield* deliver(listening.origin, '{"title":"private"}', { headers: { "x-hub-signature-256": signed("x") } })
          yield* deliver(listening.origin, '{"name":"private"}')
          yield* deliver(listening.origin, "private")
        }
        yield* deliver(listening.origin, '{"title":"private"}', { headers: id("d\u00a01") })
      }).pipe(Effect.provide(overheard(lines)), Effect.scoped)
      const text = lines.join("\n")
      assert.strictEqual(lines.filter((line) => line.includes("without the right proof (github)")).length, 1)
      assert.strictEqual(lines.filter((line) => line.includes("without the field title")).length, 1)
      assert.strictEqual(lines.filter((line) => line.includes("not JSON")).length, 1)
      assert.strictEqual(lines.filter((line) => line.includes("a delivery was taken")).length, 1)
      assert.notInclude(text, "private")
      assert.notInclude(text, secret)
    })
  )
})
