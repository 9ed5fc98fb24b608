/** What a function of the caller's may give: a value, a promise of it, or an effect. */
import { Effect, Fiber, Predicate } from "effect"

export type Eventually<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

/** Whatever a function of the caller's gives. */
export const eventually = <A>(run: () => Eventually<A>): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const given = run()
    if (Effect.isEffect(given)) return unattended(given)
    return isPromiseLike(given) ? Effect.tryPromise(async () => given) : Effect.succeed(given)
  })

/** Whoever gives it up does not wait for its end, or a function that closes its own session would wait for itself. */
const unattended = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

const isPromiseLike = <A>(given: A | PromiseLike<A>): given is PromiseLike<A> =>
  Predicate.hasProperty(given, "then") && Predicate.isFunction(given.then)
