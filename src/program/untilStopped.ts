/**
 * Work that ends well when the program is interrupted (Ctrl-C, SIGTERM): its signal is aborted and its end awaited, so
 * that an aborted run still tells how it ended. A second Ctrl-C gives up the telling.
 */
import { Effect, Fiber } from "effect"
import { nextSignal } from "./runMain.ts"

export const untilStopped = <A, E, R>(work: (signal: AbortSignal) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = new AbortController()
      const fiber = yield* Effect.forkChild(restore(work(stop.signal)))
      const abort = Effect.gen(function* () {
        stop.abort()
        yield* Effect.raceFirst(Fiber.await(fiber), Effect.andThen(nextSignal, Fiber.interrupt(fiber)))
      })
      return yield* restore(Fiber.join(fiber)).pipe(Effect.onInterrupt(() => abort))
    })
  )
