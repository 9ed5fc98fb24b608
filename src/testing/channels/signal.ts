/** Waiting for something to be so, looked at after each change. */
import { Effect } from "effect"

export interface Signal {
  /** Something has changed. */
  readonly notify: () => void
  /** Returns the first value of `look` that is not undefined. */
  readonly until: <A>(look: () => A | undefined) => Effect.Effect<A>
}

export const makeSignal = (): Signal => {
  const waiting = new Set<() => void>()
  const next = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => void waiting.delete(wake))
  })
  const until: Signal["until"] = (look) =>
    Effect.suspend(() => {
      const found = look()
      return found === undefined ? Effect.andThen(next, until(look)) : Effect.succeed(found)
    })
  const notify = () => {
    const all = [...waiting]
    waiting.clear()
    // A fiber that is woken runs at once: not in the middle of the call that woke it.
    queueMicrotask(() => {
      for (const wake of all) wake()
    })
  }
  return { notify, until }
}
