/**
 * An account that takes up nothing new: while an owner has paused it, and before its host is started anew. What people
 * write meanwhile is kept, and told to wait.
 */
import { Effect, Schedule } from "effect"
import { eventually } from "../../contract/eventually.ts"
import type { Eventually } from "../../contract/Input.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"

export interface PausingOptions {
  readonly core: Pick<Core, "busy">
  /** Ends the host, and starts it anew; undefined: that cannot be done here. */
  readonly onRestart: (() => Eventually<void>) | undefined
  /** Whatever waits may go on. */
  readonly wakeAll: Effect.Effect<void>
}

export interface Pausing {
  /** Since which pause, the first being 1; undefined: everything is taken up. */
  readonly current: () => number | undefined
  /** Begins or ends a pause; gives what is said. */
  readonly toggle: Effect.Effect<string>
  /** What is said; the rest is done in the background, which the effect is. */
  readonly restart: () => { readonly said: string; readonly work: Effect.Effect<void> }
}

/** How long turns under way may go on. */
const drain = "2 minutes"

export const makePausing = ({ core, onRestart, wakeAll }: PausingOptions): Pausing => {
  let [pauses, isPaused] = [0, false]
  const begin = () => {
    if (!isPaused) pauses += 1
    isPaused = true
  }
  const end = Effect.andThen(
    Effect.sync(() => {
      isPaused = false
    }),
    wakeAll
  )
  return {
    current: () => (isPaused ? pauses : undefined),
    toggle: Effect.suspend(() => {
      if (isPaused) return Effect.as(end, texts.goesOn)
      begin()
      return Effect.succeed(texts.paused)
    }),
    restart: () => {
      if (onRestart === undefined) return { said: texts.notHere, work: Effect.void }
      begin()
      const idle = Effect.repeat(Effect.sync(core.busy), {
        schedule: Schedule.spaced("200 millis"),
        until: (busy) => busy === 0
      })
      const work = Effect.timeoutOption(idle, drain).pipe(
        Effect.andThen(eventually(onRestart)),
        Effect.catchCause((cause) => Effect.logWarning("the host could not be started anew", cause)),
        Effect.andThen(end)
      )
      return { said: texts.restarting, work }
    }
  }
}
