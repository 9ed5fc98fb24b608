/** A conversation goes on with its session; over stores in memory and in a file. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeConversationContext } from "../../src/sessions/makeSessions.ts"
import { runTurn } from "../../src/sessions/runTurn.ts"
import { Store } from "../../src/store/Store.ts"
import { type TestAgent, testAgent } from "./kit.ts"

const facts = { canFork: true, isBoundToDirectory: false }

const conversing = (agent: TestAgent) =>
  Effect.map(
    Effect.flatMap(Store, (store) => makeConversationContext({ agent, facts, store, observers: [] })),
    (context) => ({
      context,
      run: (params: object) => runTurn(context, params)
    })
  )

describe("conversations", () => {
  it.effect("goes on", () =>
    Effect.gen(function* () {
      const agent = testAgent([{}])
      const { run } = yield* conversing(agent)
      const one = yield* run({ conversation: "a", prompt: "one" })
      const two = yield* run({ conversation: "a", prompt: "two" })
      assert.strictEqual(two.sessionId, one.sessionId)
      assert.deepStrictEqual(
        agent.calls.map(({ params: { sessionId } }) => sessionId),
        [undefined, one.sessionId]
      )
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
