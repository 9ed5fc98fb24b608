/** Work by key: one fiber for each key with work. It performs steps, one after the other, until none is left. */
import { Cause, Effect, Fiber, FiberMap, Latch, MutableHashMap, Option, type Scope } from "effect"

/** The result of one step: done, or when to look again, unless woken or `until` completes earlier. */
export type Step =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Again" }
  | { readonly _tag: "Wait"; readonly ms: number; readonly until?: Effect.Effect<void> }

export interface KeyedWorker<K> {
  /** Starts steps of the key. If it has a fiber, that looks once more before it ends. */
  readonly wake: (key: K) => Effect.Effect<void>
  /** Completes when the key has no work. */
  readonly over: (key: K) => Effect.Effect<void>
  /** Completes when no key has work. */
  readonly allOver: Effect.Effect<void>
  readonly size: Effect.Effect<number>
}

const empty: Step = { _tag: "Empty" }
const afterFailure: Step = { _tag: "Wait", ms: 1_000 }

/**
 * Keys are compared by their content. A failed step is logged, and followed by another after a second. Work ends with the
 * scope.
 */
export const makeKeyedWorker = Effect.fnUntraced(function* <K, E, R>(
  step: (key: K) => Effect.Effect<Step, E, R>
): Effect.fn.Return<KeyedWorker<K>, never, R | Scope.Scope> {
  const fibers = yield* FiberMap.make<K, void, never>()
  const start = yield* FiberMap.runtime(fibers)<R>()
  /** Latches of the keys with work. A wake opens it; each step begins with a closed one. */
  const latches = MutableHashMap.empty<K, Latch.Latch>()

  const perform = Effect.fnUntraced(function* (key: K, woken: Latch.Latch) {
    while (true) {
      woken.closeUnsafe()
      const result = yield* Effect.catchCause(
        Effect.suspend(() => step(key)),
        (cause): Effect.Effect<Step> =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.succeed(empty)
            : Effect.as(Effect.logWarning("a conversation waits after a failure", Cause.squash(cause)), afterFailure)
      )
      if (result._tag === "Wait")
        yield* Effect.timeoutOption(Effect.raceFirst(woken.await, result.until ?? Effect.never), result.ms)
      if (result._tag !== "Empty" || woken.isOpen()) continue
      // Synchronous with the check of the latch: a later wake finds none, and starts a fiber.
      MutableHashMap.remove(latches, key)
      return
    }
  })

  return {
    wake: (key) =>
      Effect.sync(() => {
        const present = MutableHashMap.get(latches, key)
        if (Option.isSome(present)) return void present.value.openUnsafe()
        const woken = Latch.makeUnsafe(false)
        MutableHashMap.set(latches, key, woken)
        // Replaces a fiber without work that has not ended yet.
        start(key, perform(key, woken))
      }),
    over: (key) =>
      Effect.suspend(() =>
        Option.match(FiberMap.getUnsafe(fibers, key), {
          onNone: () => Effect.void,
          onSome: (fiber) => Effect.asVoid(Fiber.await(fiber))
        })
      ),
    allOver: FiberMap.awaitEmpty(fibers),
    size: FiberMap.size(fibers)
  }
})
