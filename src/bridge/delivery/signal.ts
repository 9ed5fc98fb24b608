/** Says that there is something to look at; what was said while nobody waited counts for the next who does. */
import { Effect, Latch } from "effect"

export interface Signal {
  readonly ring: Effect.Effect<void>
  /** Until it rings. */
  readonly heard: Effect.Effect<void>
}

export const makeSignal = (): Signal => {
  const latch = Latch.makeUnsafe(false)
  return {
    ring: Effect.sync(() => {
      latch.openUnsafe()
    }),
    heard: Effect.andThen(
      latch.await,
      Effect.sync(() => {
        latch.closeUnsafe()
      })
    )
  }
}
