/**
 * A clock whose host can be held up, as a real one is: time passes and no timer is served; then those that are late are
 * served before anything is read. Its date can be set without any time passing.
 */
import { type Clock, Duration, Effect } from "effect"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export const makeModelClock = () => {
  let monotonicMs = 0
  let dateMs = 0
  let sleepers: ReadonlyArray<Sleeper> = []

  const wakeUntil = (ms: number) => {
    const due = sleepers.filter(({ at }) => at <= ms).toSorted((a, b) => a.at - b.at)
    sleepers = sleepers.filter(({ at }) => at > ms)
    for (const { wake } of due) wake()
  }

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => dateMs,
    currentTimeMillis: Effect.sync(() => dateMs),
    currentTimeNanosUnsafe: () => BigInt(dateMs) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(dateMs) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(monotonicMs) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(monotonicMs) * 1_000_000n),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const sleeper: Sleeper = {
          at: monotonicMs + Math.ceil(Duration.toMillis(duration)),
          wake: () => resume(Effect.void)
        }
        sleepers = [...sleepers, sleeper]
        return Effect.sync(() => {
          sleepers = sleepers.filter((other) => other !== sleeper)
        })
      })
  }

  const advance = (ms: number) => {
    monotonicMs += ms
    dateMs += ms
  }

  return {
    clock,
    /** Every timer is served when it is due. */
    pass: (ms: number, settled: Effect.Effect<void>) =>
      Effect.gen(function* () {
        const end = monotonicMs + ms
        while (monotonicMs < end) {
          const next = Math.min(end, ...sleepers.map(({ at }) => at))
          advance(Math.max(0, next - monotonicMs))
          wakeUntil(monotonicMs)
          yield* settled
        }
      }),
    /** No timer is served before the end. */
    holdUp: (ms: number) =>
      Effect.sync(() => {
        advance(ms)
        wakeUntil(monotonicMs)
      }),
    setDate: (byMs: number) =>
      Effect.sync(() => {
        dateMs += byMs
      })
  }
}
