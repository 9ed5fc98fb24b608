/** The page's handler in servers of applications: below a path of theirs, with their own way to say who asks. */
import { createServer, type Server } from "node:http"
import { connect } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Hono } from "hono"
import { ChannelBridge, WebChat } from "../../../src/bridge.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { uuid, visitor } from "./page.ts"

type Handler = (request: Request) => Promise<Response>

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(`http://127.0.0.1:${port}`))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Each gives the address of the page. */
const hosts: Readonly<Record<string, (handler: Handler) => Effect.Effect<string, unknown, Scope.Scope>>> = {
  "Node's own server": (handler) => {
    const page = WebChat.nodeHandler(handler)
    const server = createServer((request, response) => {
      if (request.url?.startsWith("/chat/")) page(request, response)
      else response.writeHead(404).end()
    })
    return Effect.map(listening(server), (base) => `${base}/chat/`)
  },
  Hono: (handler) => {
    const app = new Hono()
    app.all("/agents/chat/*", (context) => handler(context.req.raw))
    // Node's server for any fetch function.
    const server = createServer(WebChat.nodeHandler(async (request) => app.fetch(request)))
    return Effect.map(listening(server), (base) => `${base}/agents/chat/`)
  },
  "Effect's HttpRouter": (handler) =>
    Effect.gen(function* () {
      const route = HttpRouter.add(
        "*",
        "/team/chat/*",
        Effect.fnUntraced(function* (request) {
          const webRequest = yield* HttpServerRequest.toWeb(request)
          return HttpServerResponse.fromWeb(yield* Effect.promise(() => handler(webRequest)))
        })
      )
      const server = HttpRouter.serve(route, { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
      )
      const { address } = Context.get(yield* Layer.build(server), HttpServer.HttpServer)
      return `http://127.0.0.1:${"port" in address ? address.port : 0}/team/chat/`
    })
}

describe.each(Object.entries(hosts))("a page in %s", (_, host) => {
  it.live("answers the application's people, and no others", () =>
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(Store.layerMemory()), Store)
      const own = Layer.succeed(Store, store)
      const chat = yield* WebChat.make({
        authorize: (request) => (request.headers.get("authorization") === "Bearer ann" ? { id: "ann" } : undefined)
      }).pipe(Effect.provide(own))
      const bridge = ChannelBridge.layer({
        agents: { test: TestRuntime.layer(({ prompt }) => [{ type: "text", text: `you said ${prompt}` }]) },
        access: { users: ["ann"] }
      }).pipe(Layer.provide([own, nodePlatform]))
      const { serve } = Context.get(yield* Layer.build(bridge), ChannelBridge)
      yield* Effect.forkScoped(Effect.orDie(serve(chat.channel)))
      const base = yield* host(chat.handler)
      const ann = visitor(base, "ann")
      yield* (yield* ann.read("./events")).state(({ isServed }) => isServed)
      assert.strictEqual((yield* ann.say("hello")).status, 202)
      const { until } = yield* ann.read()
      yield* until((rows) => rows.some(({ event }) => event?.text === "you said hello"))
      yield* until((rows) => rows.some(({ row }) => row === "answer"))
      const headers = { "content-type": "application/octet-stream" }
      assert.strictEqual((yield* ann.ask("./files?name=a", { method: "POST", body: "x", headers })).status, 201)
      assert.strictEqual((yield* visitor(base, "ben").ask("./state")).status, 401)
      assert.strictEqual((yield* ann.ask("./state", { headers: { origin: "https://evil.example" } })).status, 403)
      assert.strictEqual((yield* ann.get(`./rows?conversation=${uuid()}`)).status, 404)
    }).pipe(Effect.scoped)
  )
})

describe("a handler in Node's server", () => {
  it.live("reads no more than its client takes, and cuts off one that takes nothing", () =>
    Effect.gen(function* () {
      let pulled = 0
      const cancelled = Promise.withResolvers<void>()
      const endless = () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            pulled += 1
            controller.enqueue(new Uint8Array(64 * 1024))
          },
          cancel: () => cancelled.resolve()
        })
      const handler = WebChat.nodeHandler(async () => new Response(endless()), { stallMs: 200 })
      const base = yield* listening(createServer(handler))
      const socket = connect(Number(new URL(base).port), "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      socket.pause()
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* Effect.promise(() => cancelled.promise)
      // Content of the buffers of two sockets.
      assert.isBelow(pulled, 400)
    }).pipe(Effect.scoped)
  )

  it.live("answers an invalid request, and continues", () =>
    Effect.gen(function* () {
      const base = yield* listening(createServer(WebChat.nodeHandler(() => Promise.reject(new Error("broken")))))
      const one = yield* Effect.promise(() =>
        fetch(base).then(
          () => "answered",
          () => "cut off"
        )
      )
      assert.strictEqual(one, "cut off")
      const two = yield* Effect.promise(() =>
        fetch(`${base}/x`).then(
          () => "answered",
          () => "cut off"
        )
      )
      assert.strictEqual(two, "cut off")
    }).pipe(Effect.scoped)
  )
})
