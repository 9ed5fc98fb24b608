/**
 * The clock that measures every limit: Effect's own, except that a sleep counts only time in which this host ran. A
 * blocked or stopped host (SIGSTOP, a sleeping machine) reads no pipe. Sleeps are cut into slices; the delay of a late
 * slice does not count.
 */
import { Clock, Context, Duration, Effect } from "effect"

export interface HostClock extends Clock.Clock {
  /** Milliseconds in which the host ran, from an arbitrary origin; may stand still while no fiber sleeps. */
  readonly ranMillisUnsafe: () => number
}

/** A shorter stop is not noticed, and counts. */
const sliceMs = 1_000
/** The longest time between two slices of a running host on a busy machine. */
const longestGapMs = 1_250

/** For each clock, so that all its sleepers agree on how long the host ran. */
const HostClocks = Context.Reference<WeakMap<Clock.Clock, HostClock>>("reins/HostClocks", {
  defaultValue: () => new WeakMap()
})

/** Node serves a late timer before the pipes: in these turns of the event loop all that has arrived is read. */
const turns = Effect.forEach([1, 2, 3], () => Effect.yieldNow, { discard: true })

const make = (base: Clock.Clock): HostClock => {
  const monotonicMs = () => Number(base.monotonicTimeNanosUnsafe()) / 1e6
  let observedAt = monotonicMs()
  let ranMs = 0

  const ranMillisUnsafe = () => ranMs + Math.min(monotonicMs() - observedAt, longestGapMs)

  const observe = () => {
    const at = monotonicMs()
    ranMs += Math.min(at - observedAt, longestGapMs)
    observedAt = at
  }

  const sleepUntil = (endMs: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      observe()
      if (ranMs >= endMs) return turns
      return Effect.andThen(base.sleep(Duration.millis(Math.min(endMs - ranMs, sliceMs))), sleepUntil(endMs))
    })

  return {
    currentTimeMillisUnsafe: () => base.currentTimeMillisUnsafe(),
    currentTimeMillis: base.currentTimeMillis,
    currentTimeNanosUnsafe: () => base.currentTimeNanosUnsafe(),
    currentTimeNanos: base.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => {
      const ms = Duration.toMillis(duration)
      if (ms <= 0 || ms === Number.POSITIVE_INFINITY) return base.sleep(duration)
      return Effect.suspend(() => {
        observe()
        return sleepUntil(ranMs + ms)
      })
    },
    ranMillisUnsafe
  }
}

/** The host clock of the clock in the context, which may be one itself. */
export const hostClock: Effect.Effect<HostClock> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const clocks = yield* HostClocks
  const known = clocks.get(clock)
  if (known !== undefined) return known
  const made = make(clock)
  clocks.set(clock, made).set(made, made)
  return made
})

/** Runs the effect by the host clock: sleeps, time-outs and graces. */
export const inHostTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(hostClock, (clock) => Effect.provideService(effect, Clock.Clock, clock))

const millis = (nanos: bigint) => Number(nanos / 1_000_000n)

/** Starts now; gives the elapsed time in whole milliseconds, never negative; a stopped host counts. */
export const startStopwatch = (clock: Clock.Clock): (() => number) => {
  const startedAt = clock.monotonicTimeNanosUnsafe()
  return () => millis(clock.monotonicTimeNanosUnsafe() - startedAt)
}

/** Whole milliseconds from an arbitrary origin: only for differences. */
export const monotonicMillisOf = (clock: Clock.Clock): number => millis(clock.monotonicTimeNanosUnsafe())

export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.Clock, monotonicMillisOf)
