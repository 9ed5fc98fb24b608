/** An API that redirects, hangs, never ends or lies: no secret leaves, nothing grows, and what is unknown is called so. */

import { existsSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { WhatsApp } from "../../../src/channels/whatsapp/WhatsApp.ts"
import { WhatsAppServer } from "../../../src/testing/Scoped.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { asTimePasses, optionsFor, pieceOf, place } from "./kit.ts"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Its address, and the headers of what came. */
const serve = (listener: Listener): Effect.Effect<{ origin: string; tokens: Array<unknown> }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const tokens: Array<unknown> = []
        const server = createServer((request, response) => {
          tokens.push(request.headers.authorization)
          response.on("error", () => undefined)
          listener(request, response)
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, tokens, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
      }),
      ({ server }) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    ({ origin, tokens }) => ({ origin, tokens })
  )

const endless: Listener = (_, response) => {
  const more = () => {
    while (response.write(Buffer.alloc(100_000))) {}
  }
  response.on("drain", more)
  more()
}

const opened = (listener: Listener) =>
  Effect.gen(function* () {
    const wa = yield* WhatsAppServer.make()
    const api = yield* serve(listener)
    const { channel } = yield* WhatsApp.make({ ...optionsFor(wa), apiRoot: `${api.origin}/v26.0` })
    return { channel, api }
  }).pipe(Effect.orDie)

describe("an API that is not honest", () => {
  it.effect.each<[string, Listener]>([
    ["hangs", () => {}],
    ["never ends", endless],
    ["is a page", (_, response) => response.end("<html></html>")],
    ["says that it is done, and not where", (_, response) => response.end("{}")],
    ["says it in another form", (_, response) => response.end('{"messages":[{"id":7}]}')],
    ["says a huge number", (_, response) => response.writeHead(400, { "retry-after": "9".repeat(400) }).end("{}")]
  ])("%s: what became of a send is unknown", ([, listener]) =>
    Effect.gen(function* () {
      const { channel } = yield* asTimePasses(opened(listener), 5_000)
      const sending = Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
      assert.strictEqual((yield* asTimePasses(sending, 5_000)).reason._tag, "Unknown")
      const upload = channel.send(place, { text: "", body: { text: "" }, file: import.meta.filename }, "k")
      assert.strictEqual((yield* asTimePasses(Effect.flip(upload), 60_000)).reason._tag, "Unreachable")
      yield* asTimePasses(channel.working?.(place, "wamid.A") ?? Effect.void, 5_000)
    }).pipe(Effect.scoped)
  )

  it.live("redirects: the token goes nowhere else", () =>
    Effect.gen(function* () {
      const other = yield* serve((_, response) => response.end('{"messages":[{"id":"wamid.A"}]}'))
      const { channel } = yield* opened((_, response) => response.writeHead(307, { location: other.origin }).end())
      assert.strictEqual((yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))).reason._tag, "Unknown")
      yield* channel.check
      assert.deepStrictEqual(other.tokens, [])
    }).pipe(Effect.scoped)
  )

  it.live("gives the address of a file elsewhere, or one that redirects: the token goes to neither", () =>
    Effect.gen(function* () {
      const folder = yield* makeDirectory
      const other = yield* serve((_, response) => response.end("x"))
      let url = `${other.origin}/file`
      const { channel, api } = yield* opened((request, response) => {
        if (request.url?.startsWith("/redirect") === true)
          return void response.writeHead(302, { location: other.origin }).end()
        response.end(JSON.stringify({ url }))
      })
      const download = Effect.flip(channel.download?.("5", join(folder, "f")) ?? Effect.die("it takes no files"))
      assert.strictEqual((yield* download).reason._tag, "Refused")
      url = `${api.origin}/redirect`
      assert.strictEqual((yield* download).reason._tag, "Unreachable")
      assert.deepStrictEqual(other.tokens, [])
    }).pipe(Effect.scoped)
  )

  it.live("gives a file that is larger than it says", () =>
    Effect.gen(function* () {
      const folder = yield* makeDirectory
      const { channel } = yield* opened((request, response) =>
        request.url?.startsWith("/file") === true
          ? endless(request, response)
          : void response.end(JSON.stringify({ url: `http://${request.headers.host}/file`, file_size: "5" }))
      )
      const failure = yield* Effect.flip(channel.download?.("5", join(folder, "f")) ?? Effect.die("it takes no files"))
      assert.strictEqual(failure.reason._tag, "Refused")
      assert.isTrue(existsSync(folder))
    }).pipe(Effect.scoped)
  )
})
