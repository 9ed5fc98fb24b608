/** Work that is forked in a scope. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { scopedFork } from "../../../src/agents/engine/setUp.ts"

describe("work that is forked in a scope", () => {
  it.effect("begins at once, and is interrupted when the scope closes", () =>
    Effect.gen(function* () {
      const scope = Scope.makeUnsafe()
      const fork = yield* Scope.provide(scopedFork, scope)
      const calls: Array<string> = []
      const note = (text: string) => Effect.sync(() => void calls.push(text))
      fork(note("done"))
      const endless = fork(Effect.onInterrupt(Effect.andThen(note("begun"), Effect.never), () => note("interrupted")))
      assert.deepStrictEqual(calls, ["done", "begun"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(calls, ["done", "begun", "interrupted"])
      assert.isTrue(Exit.isFailure(yield* Fiber.await(endless)))
    })
  )

  it.effect("does not begin any more afterwards", () =>
    Effect.gen(function* () {
      const scope = Scope.makeUnsafe()
      const fork = yield* Scope.provide(scopedFork, scope)
      yield* Scope.close(scope, Exit.void)
      let isBegun = false
      const late = fork(
        Effect.sync(() => {
          isBegun = true
        })
      )
      assert.isTrue(Exit.isFailure(yield* Fiber.await(late)))
      assert.isFalse(isBegun)
    })
  )
})
