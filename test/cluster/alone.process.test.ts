/** A home alone on a store in a file: it performs turns that were requested while it was down, and resumes open ones. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { layerClusteredSessions } from "../../src/cluster/ClusteredSessions.ts"
import { ClusterHome } from "../../src/cluster/ClusterHome.ts"
import { Sessions } from "../../src/conversations/Sessions.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { turnById } from "../../src/conversations/turns/turnRows.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { type TestAgent, testAgent } from "../conversations/kit.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { fast, runtimeOf } from "./kit/homes.ts"

const homeIn = (store: Layer.Layer<Store>, agent: TestAgent) =>
  Layer.build(
    ClusterHome.layer({
      home: "alone",
      agents: { claude: runtimeOf(agent) },
      directories: ["/"],
      timings: { ...fast, drain: "10 millis" }
    }).pipe(Layer.provide(store), Layer.provide(nodePlatform))
  )

describe("a home on a store in a file", () => {
  it.live("resumes the turns that were open when it ended", () =>
    Effect.gen(function* () {
      const opened = yield* Layer.build(Store.layerFile({ directory: yield* makeDirectory }))
      const store = Context.get(opened, Store)
      const input = Layer.succeed(Store, store)
      const context = yield* Layer.build(Layer.provide(layerClusteredSessions({ cli: "claude", timings: fast }), input))
      const { run } = Context.get(context, Sessions)
      const first = yield* Scope.make()
      const never = yield* Deferred.make<void>()
      const agent = testAgent([{ until: Deferred.await(never) }])
      yield* Scope.provide(homeIn(input, agent), first)
      const cutOff = yield* Effect.forkChild(Effect.exit(run({ conversation: "c", prompt: "one", turnId: "t1" })))
      yield* agent.opened(1)
      const waiting = yield* Effect.forkChild(run({ conversation: "c", prompt: "two", turnId: "t2" }))
      while ((yield* turnById(store, "t2")) === undefined) yield* Effect.sleep("5 millis")
      const closing = yield* Effect.forkChild(Scope.close(first, Exit.void))
      // Time is up for what is at work.
      while (agent.calls[0]?.params.abortSignal?.aborted !== true) yield* Effect.sleep("5 millis")
      yield* Deferred.succeed(never, undefined)
      yield* Fiber.join(closing)
      assert.isUndefined(waiting.pollUnsafe())
      const next = testAgent([{ text: "later" }])
      yield* homeIn(input, next)
      assert.strictEqual((yield* Fiber.join(waiting)).text, "later")
      yield* Fiber.join(cutOff)
      assert.deepStrictEqual([agent.calls.length, next.calls.length], [1, 1])
    }).pipe(Effect.scoped)
  )
})
