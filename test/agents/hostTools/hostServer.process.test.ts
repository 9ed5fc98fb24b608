/** The host's functions over HTTP: who may ask, what is answered, and that nothing is left at the end. */
import { request as nodeRequest } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { serveHostTools } from "../../../src/agents/hostTools/hostServer.ts"
import { callOf, initialize, makeHanging, resultOf, tool } from "./tools.ts"

type Served = Effect.Success<ReturnType<typeof serveHostTools>>

const tools = [tool("echo", (input) => input), tool("fails", () => Effect.fail(new Error("not today")))]

const tokenOf = (served: Served) => Redacted.value(served.headers.Authorization)

const isBody = (body: unknown) => typeof body === "string" || body instanceof ReadableStream

const ask = (served: Served, body: unknown, headers: Record<string, string> = {}, method = "POST") =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(served.url, {
      method,
      signal,
      headers: {
        Authorization: tokenOf(served),
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers
      },
      duplex: "half",
      ...(method === "GET" ? {} : { body: isBody(body) ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) }
  })

/** The headers of a session of MCP. */
const begin = (served: Served) =>
  Effect.gen(function* () {
    const { headers } = yield* ask(served, initialize(0))
    const session = { "Mcp-Session-Id": headers.get("mcp-session-id") ?? "" }
    const { status } = yield* ask(served, { jsonrpc: "2.0", method: "notifications/initialized" }, session)
    assert.strictEqual(status, 202)
    return session
  })

const clientOf = (served: Served) =>
  McpClient.layerHttp({
    name: "test",
    version: "1",
    url: served.url,
    headers: { Authorization: tokenOf(served) },
    protocol: McpProtocol.v2025_11_25
  }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.build,
    Effect.map((context) => Context.get(context, McpClient.McpClient))
  )

/** `fetch` has a `Host` of its own. */
const statusFor = (served: Served, headers: Record<string, string>) =>
  Effect.callback<number | undefined>((resume) => {
    const all = { Authorization: tokenOf(served), "Content-Type": "application/json", ...headers }
    const sent = nodeRequest(served.url, { method: "POST", headers: all }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
    sent.end(JSON.stringify(initialize(0)))
  })

describe("serveHostTools", () => {
  it.effect("answers what is asked, and calls go on side by side", () =>
    Effect.gen(function* () {
      const both = yield* Deferred.make<void>()
      let waiting = 0
      const meets = tool("meets", () => {
        waiting++
        return waiting === 2 ? Deferred.succeed(both, undefined) : Effect.as(Deferred.await(both), "met")
      })
      const served = yield* serveHostTools([...tools, meets])
      const session = yield* begin(served)
      const list = yield* ask(served, { jsonrpc: "2.0", id: 1, method: "tools/list" }, session)
      assert.deepNestedInclude(list.json, { "result.tools[0].name": "echo", "result.tools[1].name": "fails" })
      const echo = yield* ask(served, callOf(2, "echo", { text: "a" }), session)
      assert.deepStrictEqual(echo.json, resultOf(2, '{"text":"a"}'))
      const fails = yield* ask(served, callOf("3", "fails"), session)
      assert.deepStrictEqual(fails.json, resultOf("3", "not today", true))
      const calls = [4, 5].map((id) => ask(served, callOf(id, "meets"), session))
      const answers = yield* Effect.all(calls, { concurrency: 2 })
      assert.sameDeepMembers(
        answers.map(({ json }) => json.result.content[0].text),
        ["met", "true"]
      )
    })
  )

  it.effect("a client that others wrote is content", () =>
    Effect.gen(function* () {
      const client = yield* clientOf(yield* serveHostTools(tools))
      const [echo, fails] = yield* client.listTools()
      assert.deepStrictEqual([echo?.name, fails?.name, client.serverInfo?.name], ["echo", "fails", "host"])
      if (echo === undefined || fails === undefined) return
      const good = yield* client.callTool({ tool: echo, arguments: { text: "ä" } })
      assert.deepNestedInclude(good, { "content[0].text": '{"text":"ä"}', isError: false })
      const bad = yield* client.callTool({ tool: fails })
      assert.deepNestedInclude(bad, { "content[0].text": "not today", isError: true })
    })
  )

  const refusals: ReadonlyArray<readonly [string, number, Record<string, string>, string?]> = [
    ["no token", 401, { Authorization: "" }],
    ["a wrong token", 401, { Authorization: "Bearer 0" }],
    ["a page of a browser", 403, { Origin: "http://127.0.0.1" }],
    ["GET", 405, {}, "GET"],
    ["another type of body", 415, { "Content-Type": "text/plain" }],
    ["an unknown session", 404, { "Mcp-Session-Id": "made up" }]
  ]
  it.effect.each(refusals)("refuses %s with %i", ([, status, headers, method]) =>
    Effect.gen(function* () {
      const served = yield* serveHostTools(tools)
      const answer = yield* ask(served, { jsonrpc: "2.0", id: 1, method: "ping" }, headers, method)
      assert.strictEqual(answer.status, status)
    })
  )

  it.effect("refuses a forged name of this host", () =>
    Effect.gen(function* () {
      const served = yield* serveHostTools(tools)
      const accept = { Accept: "application/json, text/event-stream" }
      assert.strictEqual(yield* statusFor(served, { ...accept, Host: "rebound.example" }), 403)
      assert.strictEqual(yield* statusFor(served, accept), 200)
    })
  )

  it.effect("takes 16 MiB and no more, whether it is said how much comes or not", () =>
    Effect.gen(function* () {
      const served = yield* serveHostTools([tool("length", (input) => JSON.stringify(input).length)])
      const session = yield* begin(served)
      const most = yield* ask(served, callOf(1, "length", { text: "x".repeat(15_000_000) }), session)
      assert.deepStrictEqual(most.json, resultOf(1, "15000011", false, 15_000_011))
      const body = JSON.stringify(callOf(2, "length", { text: "x".repeat(17_000_000) }))
      assert.strictEqual((yield* ask(served, body, session)).status, 413)
      const unsaid = yield* ask(served, new Blob([body]).stream(), session)
      assert.strictEqual(unsaid.json.error.code, -32700)
    })
  )

  it.effect("the end of the scope cuts off what is open, and interrupts calls", () =>
    Effect.gen(function* () {
      const { hanging, called, aborted } = yield* makeHanging
      const scope = yield* Scope.make()
      const served = yield* Scope.provide(serveHostTools([hanging]), scope)
      const session = yield* begin(served)
      const call = yield* Effect.forkScoped(Effect.exit(ask(served, callOf(1, "hangs"), session)))
      yield* called
      yield* Scope.close(scope, Exit.void)
      yield* aborted
      assert.isTrue(Exit.isFailure(yield* Fiber.join(call)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ask(served, initialize(0)))), "no listener is left")
    })
  )

  it.effect("a client that leaves, or cancels, interrupts its call alone", () =>
    Effect.gen(function* () {
      const { hanging, called, aborted } = yield* makeHanging
      const other = yield* makeHanging
      const served = yield* serveHostTools([...tools, hanging, { ...other.hanging, name: "waits" }])
      const session = yield* begin(served)
      const call = yield* Effect.forkScoped(ask(served, callOf(1, "hangs"), session))
      const second = yield* Effect.forkScoped(ask(served, callOf(2, "waits"), session))
      yield* Effect.all([called, other.called])
      yield* Fiber.interrupt(call)
      yield* aborted
      assert.isUndefined(second.pollUnsafe())
      const params = { requestId: 2 }
      yield* ask(served, { jsonrpc: "2.0", method: "notifications/cancelled", params }, session)
      yield* other.aborted
      assert.deepStrictEqual((yield* ask(served, callOf(3, "echo"), session)).json, resultOf(3, "{}"))
    })
  )

  it.effect("each server has a token of its own, which is shown nowhere", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* serveHostTools(tools), yield* serveHostTools(tools)]
      assert.notStrictEqual(tokenOf(one), tokenOf(two))
      assert.notInclude(JSON.stringify(one), tokenOf(one).slice("Bearer ".length))
      assert.strictEqual((yield* ask(two, initialize(0), { Authorization: tokenOf(one) })).status, 401)
    })
  )
})
