/** Runs a callback, whose result is a value, a promise of it, or an effect. */
import { Effect, Fiber, Predicate } from "effect"
import type { Eventually } from "./Input.ts"

export const eventually = <A>(run: () => Eventually<A>): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const result = run()
    if (Effect.isEffect(result)) return detached(result as Effect.Effect<A, unknown>) // the only one of its type
    return isPromiseLike(result) ? Effect.tryPromise(async () => result) : Effect.succeed(result as A)
  })

/** An interruption does not wait for its end: a callback that closes its own session would wait for itself. */
const detached = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

const isPromiseLike = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> =>
  Predicate.hasProperty(value, "then") && Predicate.isFunction(value.then)
