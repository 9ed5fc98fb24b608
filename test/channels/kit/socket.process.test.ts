/** A WebSocket client: what ends it, how fast, and what a hostile server cannot do with it. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Scope, Stream } from "effect"
import { openSocket, type SocketOptions } from "../../../src/channels/kit/socket.ts"
import type { ServerWebSocket } from "../../../src/testing/webSocket/serverWebSocket.ts"
import { makeWebSockets } from "../../../src/testing/webSocket/webSockets.ts"

interface Peer {
  readonly url: string
  /** Sockets that clients have opened. */
  readonly opened: Queue.Queue<ServerWebSocket>
  readonly texts: Queue.Queue<string>
  readonly closed: Queue.Queue<number>
  /** Connections, of whatever kind, that ended. */
  readonly ended: Queue.Queue<void>
}

const serve = (answers: "upgrade" | "hang" | "redirect" = "upgrade"): Effect.Effect<Peer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* Queue.unbounded<ServerWebSocket>()
    const texts = yield* Queue.unbounded<string>()
    const closed = yield* Queue.unbounded<number>()
    const ended = yield* Queue.unbounded<void>()
    const sockets = makeWebSockets()
    const listening = Effect.callback<Server>((resume) => {
      const server = createServer()
      server.on("connection", (socket) => socket.on("close", () => Queue.offerUnsafe(ended, undefined)))
      server.on("upgrade", (request, socket, head) => {
        if (answers !== "upgrade") {
          // A socket that no one reads would not notice its end.
          socket.on("error", () => undefined).on("end", () => socket.destroy())
          socket.resume()
          if (answers === "redirect") socket.write("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\n\r\n")
          return
        }
        const accepted = sockets.accept(request, socket, head, {
          text: (text) => Queue.offerUnsafe(texts, text),
          closed: (code) => Queue.offerUnsafe(closed, code)
        })
        if (accepted !== undefined) Queue.offerUnsafe(opened, accepted)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    })
    const server = yield* Effect.acquireRelease(listening, (own) =>
      Effect.callback<void>((resume) => {
        own.close(() => resume(Effect.void))
        sockets.cutAll()
        own.closeAllConnections()
      })
    )
    const { port } = server.address() as AddressInfo
    return { url: `ws://127.0.0.1:${port}/link/?ticket=secret`, opened, texts, closed, ended }
  })

const open = (peer: Peer, options: Partial<SocketOptions> = {}) =>
  Effect.gen(function* () {
    const socket = yield* openSocket({ url: peer.url, silentMs: 20_000, ...options })
    return { socket, server: yield* Queue.take(peer.opened) }
  })

const live = (name: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(test()))

describe("a WebSocket", () => {
  live("gives texts in order, drops others, sends, and tells the code with which it was closed", () =>
    Effect.gen(function* () {
      const peer = yield* serve()
      const { socket, server } = yield* open(peer)
      yield* socket.send("hello")
      assert.strictEqual(yield* Queue.take(peer.texts), "hello")
      for (const text of ["a", "b"]) server.send(text)
      server.sendFrame(0x2, "bytes")
      server.send("c")
      server.close(4004, "no")
      const received: Array<string> = []
      const failure = yield* Effect.flip(
        Stream.runForEach(socket.texts, (text) => Effect.sync(() => received.push(text)))
      )
      assert.deepStrictEqual([received, failure], [["a", "b", "c"], { _tag: "Closed", code: 4004 }])
    })
  )

  live("is told that the connection was cut", () =>
    Effect.gen(function* () {
      const { socket, server } = yield* open(yield* serve())
      server.cut()
      assert.deepStrictEqual(yield* Effect.flip(Stream.runDrain(socket.texts)), { _tag: "Closed", code: 1006 })
    })
  )

  live("does not open where no one listens, where it is redirected, and where nothing is answered", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.scoped(serve())
      const failures = [
        yield* Effect.flip(openSocket({ url: refused.url, silentMs: 1_000 })),
        yield* Effect.flip(openSocket({ url: (yield* serve("redirect")).url, silentMs: 1_000 })),
        yield* Effect.flip(openSocket({ url: (yield* serve("hang")).url, silentMs: 1_000, openMs: 100 })),
        yield* Effect.flip(openSocket({ url: "no address", silentMs: 1_000 }))
      ]
      assert.deepStrictEqual(
        failures,
        failures.map(() => ({ _tag: "NotOpened" }))
      )
    })
  )

  live("leaves no connection where nothing was answered", () =>
    Effect.gen(function* () {
      const peer = yield* serve("hang")
      yield* Effect.exit(Effect.scoped(openSocket({ url: peer.url, silentMs: 1_000, openMs: 100 })))
      yield* Queue.take(peer.ended)
    })
  )

  live("ends by silence, which pings break", () =>
    Effect.gen(function* () {
      const { socket, server } = yield* open(yield* serve(), { silentMs: 300 })
      const pings = yield* Effect.forkScoped(
        Effect.forEach(Array.from({ length: 8 }), () =>
          Effect.andThen(
            Effect.sync(() => server.ping()),
            Effect.sleep(100)
          )
        )
      )
      const drained = yield* Effect.forkScoped(Effect.flip(Stream.runDrain(socket.texts)))
      yield* Fiber.join(pings)
      assert.isUndefined(drained.pollUnsafe())
      assert.deepStrictEqual(yield* Fiber.join(drained), { _tag: "Silent" })
    })
  )

  live("ends by a message that is too large, before all of it is there", () =>
    Effect.gen(function* () {
      const { socket, server } = yield* open(yield* serve(), { mostBytes: 1_000 })
      const failure = yield* Effect.forkScoped(Effect.flip(Stream.runDrain(socket.texts)))
      for (const text of ["x".repeat(900), "y".repeat(900)]) server.send(text)
      // The first part of a fragmented message.
      server.sendFrame(0x1, "z".repeat(1_200), false)
      assert.deepStrictEqual(yield* Fiber.join(failure), { _tag: "TooLarge" })
    })
  )

  live("closes at once with its scope, with its code, also where the other side hangs", () =>
    Effect.gen(function* () {
      const peer = yield* serve()
      const scope = yield* Scope.make()
      const closes = yield* Effect.provideService(open(peer, { closeCode: 4900 }), Scope.Scope, scope)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Queue.take(peer.closed), 4900)
      yield* Queue.take(peer.ended)
      assert.isFalse(closes.server.isOpen())

      const other = yield* Scope.make()
      const hangs = yield* Effect.provideService(open(peer), Scope.Scope, other)
      hangs.server.hang()
      yield* Scope.close(other, Exit.void)
      hangs.server.cut()
      const reads = yield* Effect.flip(Stream.runDrain(hangs.socket.texts))
      assert.deepStrictEqual(reads, { _tag: "Closed", code: 1006 })
    })
  )

  live("ends the reader when it is interrupted", () =>
    Effect.gen(function* () {
      const peer = yield* serve()
      const reading = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkScoped(
        Effect.scoped(
          Effect.gen(function* () {
            const socket = yield* openSocket({ url: peer.url, silentMs: 20_000 })
            yield* Deferred.succeed(reading, undefined)
            yield* Stream.runDrain(socket.texts)
          })
        )
      )
      yield* Deferred.await(reading)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Queue.take(peer.closed), 1_000)
    })
  )
})
