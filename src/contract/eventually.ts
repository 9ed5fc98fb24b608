/** The result of a callback: a value, a promise of it, or an effect. */
import { Effect, Fiber, Predicate } from "effect"

export type Eventually<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

/** Runs a callback. */
export const eventually = <A>(run: () => Eventually<A>): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const result = run()
    if (Effect.isEffect(result)) return detached(result)
    return isPromiseLike(result) ? Effect.tryPromise(async () => result) : Effect.succeed(result)
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
