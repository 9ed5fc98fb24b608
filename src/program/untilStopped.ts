/**
 * Work that ends well when the program is interrupted (Ctrl-C, SIGTERM): its signal is aborted and its end awaited, so
 * that an aborted run still tells how it ended. Further signals change nothing: the run ends within its kill grace.
 */
import { Effect, Fiber } from "effect"

export const untilStopped = <A, E, R>(work: (signal: AbortSignal) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = new AbortController()
      const fiber = yield* Effect.forkChild(restore(work(stop.signal)))
      const abort = Effect.andThen(
        Effect.sync(() => stop.abort()),
        Fiber.await(fiber)
      )
      return yield* restore(Fiber.join(fiber)).pipe(Effect.onInterrupt(() => abort))
    })
  )
