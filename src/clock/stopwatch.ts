/** Elapsed time by the monotonic clock, which setting the date does not affect. */
import { Clock, Effect } from "effect"

const millis = (nanos: bigint) => Number(nanos / 1_000_000n)

/** Starts now; gives the elapsed time in whole milliseconds, never negative. */
export const startStopwatch = (clock: Clock.Clock): (() => number) => {
  const startedAt = clock.monotonicTimeNanosUnsafe()
  return () => millis(clock.monotonicTimeNanosUnsafe() - startedAt)
}

/** Whole milliseconds from an arbitrary origin: only for differences. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, millis)
