/** Tools written with Effect's `Toolkit`, as functions of the host. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { hostToolsOf } from "../../../src/agents/HostTools.ts"
import { makeHostExchange } from "../../../src/agents/hostTools/hostExchange.ts"
import { HostTool } from "../../../src/contract/HostTool.ts"
import { callOf, initialize, resultOf } from "./tools.ts"

class Stock extends Context.Service<Stock, ReadonlyMap<string, number>>()("test/Stock") {}
class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { name: Schema.String }) {
  override get message() {
    return `${this.name} is sold out`
  }
}
class Wanted extends Schema.Class<Wanted>("Wanted")({ name: Schema.String, count: Schema.NumberFromString }) {}

const look = Tool.make("look", {
  description: "How many there are.",
  parameters: Schema.Struct({ name: Schema.String }),
  success: Schema.Struct({ since: Schema.DateFromString, count: Schema.Finite }),
  failure: Schema.Literals(["unknown"]),
  dependencies: [Stock]
})
const buy = Tool.make("buy", {
  description: "Takes some.",
  parameters: Wanted,
  success: Schema.Finite,
  failure: SoldOut
})
const count = Tool.make("count", { success: Schema.Finite, failure: SoldOut, failureMode: "return" })
const shop = Toolkit.make(look, buy, count)

const handlers = shop.toLayer({
  look: Effect.fnUntraced(function* ({ name }) {
    const found = (yield* Stock).get(name)
    return found === undefined ? yield* Effect.fail("unknown" as const) : { since: new Date(0), count: found }
  }),
  buy: ({ name, count }) => (count > 9 ? Effect.fail(new SoldOut({ name })) : Effect.succeed(count)),
  count: Effect.fnUntraced(function* (_, { preliminary }) {
    yield* preliminary(1)
    yield* preliminary(2)
    return 3
  })
})

const tools = hostToolsOf(shop).pipe(Effect.provide(handlers), Effect.provideService(Stock, new Map([["pears", 4]])))

describe("hostToolsOf", () => {
  it.effect("gives tools with the schema of what the model is to send", () =>
    Effect.gen(function* () {
      const [first, second, third] = yield* tools
      for (const tool of [first, second, third]) assert.isTrue(Schema.is(HostTool)(tool))
      assert.deepInclude(first, { name: "look", description: "How many there are." })
      assert.deepInclude(first?.inputSchema, {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"]
      })
      assert.deepNestedInclude(second?.inputSchema, { type: "object", required: ["name", "count"] })
      assert.deepNestedInclude(second?.inputSchema, { "properties.count.type": "string" })
      assert.deepInclude(third, { name: "count", description: "" })
      assert.deepInclude(third?.inputSchema, { type: "object" })
    })
  )

  const table: ReadonlyArray<readonly [string, string, unknown, string, boolean, unknown?]> = [
    ["the encoded result", "look", { name: "pears" }, '{"since":"1970-01-01T00:00:00.000Z","count":4}', false],
    ["a failure that is data", "look", { name: "figs" }, "unknown", true],
    ["the result of a decoded input", "buy", { name: "figs", count: "8" }, "8", false, 8],
    ["a failure that is an error", "buy", { name: "figs", count: "10" }, "figs is sold out", true],
    ["the last result", "count", {}, "3", false, 3]
  ]
  it.effect.each(table)("a call gives %s", ([, name, input, text, isError, result]) =>
    Effect.gen(function* () {
      const { respond } = yield* makeHostExchange(yield* tools)
      yield* respond(initialize(0))
      assert.deepStrictEqual(yield* respond(callOf(1, name, input)), resultOf(1, text, isError, result))
    })
  )

  it.effect("a wrong input is told to the model, with the place", () =>
    Effect.gen(function* () {
      const { respond } = yield* makeHostExchange(yield* tools)
      yield* respond(initialize(0))
      const answer = JSON.stringify(yield* respond(callOf(1, "look", { name: 4 })))
      assert.include(answer, "Invalid parameters for tool 'look'")
      assert.include(answer, '[\\"name\\"]')
      assert.include(answer, '"isError":true')
    })
  )

  it.effect("a defect is the tool's error", () =>
    Effect.gen(function* () {
      const broken = Toolkit.make(Tool.make("broken"))
      const tools = yield* hostToolsOf(broken).pipe(
        Effect.provide(broken.toLayer({ broken: () => Effect.die(new Error("out of order")) }))
      )
      const { respond } = yield* makeHostExchange(tools)
      yield* respond(initialize(0))
      assert.deepStrictEqual(yield* respond(callOf(1, "broken")), resultOf(1, "out of order", true))
    })
  )

  it.effect("a call that is given up interrupts its handler", () =>
    Effect.gen(function* () {
      const [called, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const endless = Toolkit.make(Tool.make("endless"))
      const handler = Deferred.succeed(called, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.ensuring(Deferred.succeed(left, undefined))
      )
      const tools = yield* hostToolsOf(endless).pipe(Effect.provide(endless.toLayer({ endless: () => handler })))
      const { respond } = yield* makeHostExchange(tools)
      yield* respond(initialize(0))
      const call = yield* Effect.forkScoped(respond(callOf(1, "endless")))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(left)
    })
  )

  it.effect("a tool that the provider runs has no handler to call", () =>
    Effect.gen(function* () {
      const search = Tool.providerDefined({
        id: "test.search",
        customName: "search",
        providerName: "web_search",
        success: Schema.String
      })
      const exit = yield* Effect.exit(hostToolsOf(Toolkit.make(search())))
      assert.isTrue(Exit.hasDies(exit))
    })
  )
})
