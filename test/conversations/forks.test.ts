import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeHistory } from "../../src/conversations/history/guarded.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { contextOf } from "./history/kit.ts"
import { conversing, testAgent } from "./kit.ts"

describe("a conversation that is marked to go on in a fork", () => {
  it.effect("makes it with its next turn, keeps it, and leaves the other as it is", () =>
    Effect.gen(function* () {
      const agent = testAgent([{ sessionId: "parent" }, { sessionId: "child" }, {}, {}])
      const { run } = yield* conversing(agent)
      const history = makeHistory(contextOf(yield* Store, new Set()))
      yield* run({ conversation: "a", prompt: "one" })
      yield* history.fork({ conversation: "a" }, { conversation: "b" })
      yield* run({ conversation: "b", prompt: "two" })
      yield* run({ conversation: "b", prompt: "three" })
      yield* run({ conversation: "a", prompt: "four" })
      assert.deepStrictEqual(
        agent.calls.map(({ params: { sessionId, forkSession } }) => [sessionId, forkSession]),
        [
          [undefined, undefined],
          ["parent", true],
          ["child", undefined],
          ["parent", undefined]
        ]
      )
      const [parent, child] = [yield* history.get("parent"), yield* history.get("child")]
      assert.strictEqual(child.parent, parent.id)
      assert.deepStrictEqual([parent.conversation, child.conversation], [["a"], ["b"]])
    }).pipe(Effect.provide(Layer.fresh(Store.layerMemory())), Effect.scoped)
  )

  it.effect("tries it again where the turn came to nothing, or begins anew if it is told so", () =>
    Effect.gen(function* () {
      const agent = testAgent([{ sessionId: "parent" }, { sessionId: "first" }, { sessionId: "fresh" }, {}])
      const { run } = yield* conversing(agent)
      const history = makeHistory(contextOf(yield* Store, new Set()))
      yield* run({ conversation: "a", prompt: "one" })
      yield* history.fork("parent", { conversation: "b" })
      yield* run({ conversation: "b", prompt: "two", fresh: true })
      yield* run({ conversation: "b", prompt: "three" })
      assert.deepStrictEqual(
        agent.calls.map(({ params: { sessionId, forkSession } }) => [sessionId, forkSession]),
        [
          [undefined, undefined],
          [undefined, undefined],
          ["first", undefined]
        ]
      )
    }).pipe(Effect.provide(Layer.fresh(Store.layerMemory())), Effect.scoped)
  )
})
