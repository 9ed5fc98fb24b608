/** One HTTP call: what is known of it when it fails, and what a hostile server cannot do with it. */
import { openAsBlob } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Scope } from "effect"
import { call } from "../../../src/channels/kit/call.ts"

const serve = (listener: RequestListener): Effect.Effect<{ url: string; server: Server }, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, server }))
      })
    }),
    ({ server }) =>
      Effect.callback((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

describe("one HTTP call", () => {
  it.live("gives status, headers and JSON", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* serve((request, response) => {
          response.writeHead(429, { "retry-after": "7" }).end(JSON.stringify({ sent: request.headers["x-sent"] }))
        })
        const { status, headers, json } = yield* call({ url, method: "POST", body: "{}", headers: { "x-sent": "é" } })
        assert.deepStrictEqual([status, headers.get("retry-after"), json], [429, "7", { sent: "é" }])
      })
    )
  )

  it.live("was surely not made where no one listens", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(serve(() => {}))
      assert.deepStrictEqual(yield* Effect.flip(call({ url })), { _tag: "Unreachable" })
    })
  )

  it.live.each<[string, RequestListener]>([
    ["is cut before the answer", (request) => request.socket.destroy()],
    [
      "is cut within it",
      (_, response) => {
        response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy())
      }
    ],
    ["is redirected", (_, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end()],
    [
      "gets an endless answer",
      (_, response) => {
        const more = () => {
          while (response.write(Buffer.alloc(100_000))) {}
        }
        response.on("drain", more)
        more()
      }
    ],
    ["is never answered", () => {}]
  ])("may have been made where it %s", ([, listener]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* serve(listener)
        assert.deepStrictEqual(yield* Effect.flip(call({ url, deadlineMs: 500 })), { _tag: "Unknown" })
      })
    )
  )

  it.live("ends at once when it is interrupted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        const closed = yield* Deferred.make<void>()
        const { url } = yield* serve((request) => {
          Deferred.doneUnsafe(arrived, Effect.void)
          request.socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        })
        const calling = yield* Effect.forkChild(call({ url }))
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(calling)
        yield* Deferred.await(closed)
      })
    )
  )

  it.live("leaves no rejection behind when an upload is interrupted at any moment", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* serve(() => {})
        for (let turns = 0; turns < 40; turns++) {
          const body = new FormData()
          body.set("file", yield* Effect.promise(() => openAsBlob(import.meta.filename)), "a")
          const calling = yield* Effect.forkChild(call({ url, method: "POST", body }))
          for (let turn = 0; turn < turns % 20; turn++)
            yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
          yield* Fiber.interrupt(calling)
        }
      })
    )
  )

  it.live("sends a form with its files", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* serve(async (request, response) => {
          const headers = { "content-type": request.headers["content-type"] ?? "" }
          const form = await new Response(await buffer(request), { headers }).formData()
          const file = form.get("file")
          response.end(JSON.stringify([form.get("name"), file instanceof File && [file.name, await file.text()]]))
        })
        const body = new FormData()
        body.set("name", "é")
        body.set("file", new Blob(["content"], { type: "text/plain" }), "a.txt")
        const { json } = yield* call({ url, method: "POST", body })
        assert.deepStrictEqual(json, ["é", ["a.txt", "content"]])
      })
    )
  )

  it.live("has a connection of its own, if wanted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let connections = 0
        const { url, server } = yield* serve((_, response) => response.end("{}"))
        server.on("connection", () => {
          connections += 1
        })
        yield* Effect.replicateEffect(call({ url, fresh: true }), 3)
        assert.strictEqual(connections, 3)
      })
    )
  )
})
