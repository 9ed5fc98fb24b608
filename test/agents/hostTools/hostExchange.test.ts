/** Messages of MCP in, answers out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Scope } from "effect"
import { makeHostExchange } from "../../../src/agents/hostTools/hostExchange.ts"
import type { HostTool } from "../../../src/contract/HostTool.ts"
import { callOf, initialize, makeHanging, resultOf, tool } from "./tools.ts"

class Refused extends Error {}
const circle: Record<string, unknown> = {}
circle["self"] = circle

const tools: ReadonlyArray<HostTool> = [
  tool("echo", (input) => input),
  tool("effect", () => Effect.succeed("from an effect")),
  tool("promise", async () => [1, "two"]),
  tool("digits", () => "42"),
  tool("null", () => null),
  tool("nothing", () => undefined),
  tool("fails", () => Effect.fail(new Refused("not today"))),
  tool("tells", () => Effect.fail({ reason: "full", left: 0 })),
  tool("rejects", () => Promise.reject(new Error("no luck"))),
  tool("throws", () => {
    throw new TypeError("broken")
  }),
  tool("circles", () => circle),
  tool("stops", () => Effect.interrupt)
]

const opened = (value = tools) =>
  Effect.gen(function* () {
    const { respond } = yield* makeHostExchange(value)
    yield* respond(initialize("first"))
    return respond
  })

describe("the handshake", () => {
  const versions: ReadonlyArray<readonly [string, string]> = [
    ["2024-11-05", "2024-11-05"],
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["1999-01-01", "2025-11-25"]
  ]
  it.effect.each(versions)("who asks for %s gets %s", ([request, value]) =>
    Effect.gen(function* () {
      const { respond } = yield* makeHostExchange(tools)
      const answer = yield* respond(initialize(0, request))
      assert.deepInclude(answer, { jsonrpc: "2.0", id: 0 })
      assert.deepNestedInclude(answer, { "result.protocolVersion": value, "result.serverInfo.name": "host" })
      assert.nestedProperty(answer, "result.capabilities.tools")
    })
  )

  it.effect("lists the tools", () =>
    Effect.gen(function* () {
      const respond = yield* opened([tool("one", () => 1)])
      assert.isUndefined(yield* respond({ jsonrpc: "2.0", method: "notifications/initialized" }))
      const answer = yield* respond({ jsonrpc: "2.0", id: "list", method: "tools/list" })
      const inputSchema = { type: "object", properties: { text: { type: "string" } } }
      const one = { name: "one", description: "The tool one.", inputSchema }
      assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: "list", result: { tools: [one] } })
    })
  )
})

describe("a call", () => {
  const table: ReadonlyArray<readonly [string, string, string, boolean, unknown?]> = [
    ["JSON, as a text", "echo", '{"text":"a"}', false],
    ["what an effect gives", "effect", "from an effect", false],
    ["what a promise gives", "promise", '[1,"two"]', false, [1, "two"]],
    ["a text that is a number", "digits", "42", false, "42"],
    ["an invalid text", "null", "null", false, null],
    ["a failure", "fails", "not today", true],
    ["a failure that is data", "tells", '{"reason":"full","left":0}', true],
    ["a rejection", "rejects", "no luck", true],
    ["what is thrown", "throws", "broken", true]
  ]
  it.effect.each(table)("gives %s", ([, name, text, isError, result]) =>
    Effect.gen(function* () {
      const respond = yield* opened()
      assert.deepStrictEqual(yield* respond(callOf(7, name, { text: "a" })), resultOf(7, text, isError, result))
    })
  )

  it.effect("returns nothing for nothing, and a failure for invalid JSON", () =>
    Effect.gen(function* () {
      const respond = yield* opened()
      assert.deepNestedInclude(yield* respond(callOf(0, "nothing")), { "result.content": [] })
      assert.deepNestedInclude(yield* respond(callOf(1, "circles")), { "result.isError": true })
    })
  )

  const refusals: ReadonlyArray<readonly [string, unknown, number, unknown]> = [
    ["an unknown tool", callOf(1, "nobody"), -32602, 1],
    ["a tool without a name", { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }, -32602, 1],
    ["arguments that are not an object", callOf(1, "echo", 4), -32602, 1],
    ["an unknown method", { jsonrpc: "2.0", id: "a", method: "tools/eat" }, -32601, "a"],
    ["a notification that wants an answer", { jsonrpc: "2.0", id: 2, method: "notifications/initialized" }, -32601, 2],
    ["a tool that gives itself up", callOf(3, "stops"), -32603, 3],
    ["another version of JSON-RPC", { jsonrpc: "1.0", id: 1, method: "ping" }, -32600, 1],
    ["an invalid id", { jsonrpc: "2.0", id: null, method: "ping" }, -32600, null],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], -32600, null],
    ["a number", 42, -32600, null],
    ["nothing", undefined, -32600, null]
  ]
  it.effect.each(refusals)("refused: %s", ([, message, code, id]) =>
    Effect.gen(function* () {
      const respond = yield* opened()
      const answer = yield* respond(message)
      assert.deepNestedInclude(answer, { id, "error.code": code })
    })
  )

  it.effect("goes on beside another", () =>
    Effect.gen(function* () {
      const { hanging, called } = yield* makeHanging
      const respond = yield* opened([...tools, hanging])
      yield* Effect.forkScoped(respond(callOf(1, "hangs")))
      yield* called
      assert.deepNestedInclude(yield* respond(callOf(1, "echo")), { "error.code": -32600 }, "the id is in use")
      assert.deepStrictEqual(yield* respond(callOf("1", "echo")), resultOf("1", "{}"))
      const both = yield* Effect.all([respond(callOf(2, "effect")), respond(callOf(3, "echo"))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(both, [resultOf(2, "from an effect"), resultOf(3, "{}")])
    })
  )
})

describe("a call that is given up is interrupted", () => {
  it.effect("by the client: no answer is sent, and the id is free", () =>
    Effect.gen(function* () {
      const { hanging, called, aborted } = yield* makeHanging
      const respond = yield* opened([...tools, hanging])
      const call = yield* Effect.forkScoped(respond(callOf("a", "hangs")))
      yield* called
      const method = "notifications/cancelled"
      const cancelled = (requestId: unknown) => ({ jsonrpc: "2.0", method, params: { requestId } })
      assert.isUndefined(yield* respond(cancelled("b")))
      assert.isUndefined(call.pollUnsafe())
      assert.isUndefined(yield* respond(cancelled("a")))
      assert.isUndefined(yield* Fiber.join(call))
      yield* aborted
      assert.deepStrictEqual(yield* respond(callOf("a", "echo")), resultOf("a", "{}"))
    })
  )

  it.effect("by its caller", () =>
    Effect.gen(function* () {
      const { hanging, called, aborted } = yield* makeHanging
      const respond = yield* opened([...tools, hanging])
      const call = yield* Effect.forkScoped(respond(callOf(1, "hangs")))
      yield* called
      yield* Fiber.interrupt(call)
      yield* aborted
      assert.deepStrictEqual(yield* respond(callOf(1, "echo")), resultOf(1, "{}"))
    })
  )

  it.effect("by the end of the scope, after which no answers are sent", () =>
    Effect.gen(function* () {
      const { hanging, called, aborted } = yield* makeHanging
      const scope = yield* Scope.make()
      const respond = yield* Scope.provide(opened([hanging]), scope)
      const call = yield* Effect.forkScoped(respond(callOf(1, "hangs")))
      yield* called
      yield* Scope.close(scope, Exit.void)
      yield* aborted
      assert.isUndefined(yield* Fiber.join(call))
      assert.isUndefined(yield* respond(callOf(2, "hangs")))
    })
  )
})

const methods = ["initialize", "ping", "tools/list", "tools/call", "logging/setLevel", "notifications/initialized"]
const Message = Schema.Struct({
  jsonrpc: Schema.Literals(["2.0", "2.0", "2.0", "1.0"]),
  id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Null])),
  method: Schema.optionalKey(Schema.Union([Schema.Literals(methods), Schema.String])),
  params: Schema.optionalKey(Schema.Union([Schema.Struct({ name: Schema.Literals(["echo", "fails"]) }), Schema.Json]))
})

describe("whatever comes", () => {
  it.effect.prop(
    "a request has one answer with its id, and the server lives on",
    [Schema.Array(Schema.Union([Message, Schema.Json]))],
    ([messages]) =>
      Effect.gen(function* () {
        const respond = yield* opened()
        for (const message of messages) {
          const answer = yield* respond(message)
          if (!Schema.is(Message)(message) || message.method === undefined || message.jsonrpc === "1.0") continue
          if (message.id === undefined) assert.isUndefined(answer)
          else assert.deepInclude(answer, { jsonrpc: "2.0", id: message.id })
        }
        assert.deepStrictEqual(yield* respond(callOf("last", "echo")), resultOf("last", "{}"))
      }).pipe(Effect.scoped)
  )
})
