/**
 * What an agent has begun: each goes on by itself until whoever asked for it leaves, or the agent is closed; and either
 * waits until nothing of it is left.
 */
import { Deferred, Effect, Fiber, FiberSet, type Scope } from "effect"
import type { Fork } from "./admission.ts"

export interface Lifetimes {
  /** `left` is completed when it is not wanted any more. */
  readonly begin: (
    life: (left: Deferred.Deferred<void>) => Effect.Effect<void>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** What may go on when all that was begun is over; interrupted behind that, when the agent is closed. */
  readonly background: Fork
}

export const makeLifetimes = Effect.gen(function* () {
  const background = yield* FiberSet.makeRuntime<never, void, never>()
  const active = new Set<Effect.Effect<void>>()
  let isClosed = false
  // Also of what has a consumer that has paused.
  yield* Effect.addFinalizer(() => {
    isClosed = true
    return Effect.forEach([...active], (leave) => leave, { concurrency: "unbounded" })
  })

  const begin: Lifetimes["begin"] = (life) =>
    Effect.acquireRelease(
      Effect.gen(function* () {
        const left = yield* Deferred.make<void>()
        if (isClosed) yield* Deferred.succeed(left, undefined)
        const fiber = yield* Effect.forkDetach(life(left))
        const leave = Effect.andThen(Deferred.succeed(left, undefined), Effect.asVoid(Fiber.await(fiber)))
        active.add(leave)
        return leave
      }),
      (leave) =>
        Effect.ensuring(
          leave,
          Effect.sync(() => active.delete(leave))
        )
    )

  const lifetimes: Lifetimes = { begin, background }
  return lifetimes
})
