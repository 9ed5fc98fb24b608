/** Two pages in one process: each has its own bridge and readers, and ends alone. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { reading } from "./page.ts"

const page = Effect.fnUntraced(function* (accountId: string) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const options = { accountId, authorize: () => ({ id: "ann" }) }
  const { channel, handler } = yield* Scope.provide(WebChat.make(options), scope)
  const get = (path: string) => Effect.promise(() => handler(new Request(`http://page.example/${path}`)))
  return {
    serve: (agent: string) =>
      channel.watch?.({ _tag: "Served", agents: [agent], agent, directories: [], roleOf: () => "user" }) ?? Effect.void,
    state: Effect.flatMap(get("state"), (response) => Effect.promise(() => response.json())),
    events: get("events"),
    close: Scope.close(scope, Exit.void)
  }
})

class Pages extends Context.Service<Pages, ReadonlyArray<Effect.Success<ReturnType<typeof page>>>>()("test/Pages") {
  /** Both are made while a layer is built, which shares its parts. */
  static readonly layer = Layer.effect(Pages, Effect.forEach(["web.a", "web.b"], page))
}

describe("two pages of one process", () => {
  it.live("share nothing", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Pages
      assert(one !== undefined && two !== undefined)
      yield* one.serve("first")
      assert.deepInclude(yield* one.state, { isServed: true, agents: [{ id: "first", name: "first" }] })
      assert.deepInclude(yield* two.state, { isServed: false, agents: [] })
      const [ofOne, ofTwo] = [yield* one.events, reading(yield* two.events, new AbortController())]
      yield* one.close
      yield* Effect.promise(() => ofOne.text())
      // The other one is still open, and knows its bridge at once.
      yield* two.serve("second")
      yield* ofTwo.state(({ agents }) => agents[0]?.id === "second")
    }).pipe(Effect.provide(Layer.provide(Pages.layer, Store.layerMemory())))
  )
})
