/** A slow close is left behind in time, and a normal close is awaited. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { boundedScope } from "../../src/cluster/ClusterHome.ts"

const five = Duration.seconds(5)

describe("the scope of the engine", () => {
  it.effect("is closed with the one around it, which waits for it", () =>
    Effect.gen(function* () {
      const [gate, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const using = Effect.gen(function* () {
        const scope = yield* boundedScope(five)
        yield* Scope.addFinalizer(scope, Effect.andThen(Deferred.await(gate), Deferred.succeed(closed, undefined)))
      })
      const end = yield* Effect.forkChild(Effect.scoped(using), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(end.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(end)
      assert.isTrue(yield* Deferred.isDone(closed))
    })
  )

  it.effect("is left behind after its time limit, also by an interrupted fiber", () =>
    Effect.gen(function* () {
      const using = Effect.gen(function* () {
        const scope = yield* boundedScope(five)
        yield* Scope.addFinalizer(scope, Effect.never)
        return yield* Effect.never
      })
      const end = yield* Effect.forkChild(Effect.scoped(using), { startImmediately: true })
      const stopped = yield* Effect.forkChild(Fiber.interrupt(end), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(stopped.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(stopped)
    })
  )
})
