/** Time by a clock that nobody sets: whatever becomes of the date, what it gives never goes back. */
import { Clock, Effect } from "effect"

const millis = (nanos: bigint) => Number(nanos / 1_000_000n)

/** Starts now; what it gives is the time since then, in whole milliseconds and never negative. */
export const startStopwatch = (clock: Clock.Clock): (() => number) => {
  const startedAt = clock.monotonicTimeNanosUnsafe()
  return () => millis(clock.monotonicTimeNanosUnsafe() - startedAt)
}

/** Whole milliseconds from any beginning: only for differences. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, millis)
