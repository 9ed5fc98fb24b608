/** How many turns are still owed to whoever asked: also those that a text has begun which was sent. */
import { Deferred, Effect } from "effect"
import type { AgentEvent } from "../AgentEvent.ts"

export const makeTurnsOwed = () => {
  let owed = 0
  let waiting: Deferred.Deferred<void> | undefined
  const none: Effect.Effect<void> = Effect.suspend(() => {
    if (owed === 0) return Effect.void
    waiting = Deferred.makeUnsafe()
    // What came along with the last may owe another.
    return Effect.andThen(Deferred.await(waiting), none)
  })
  const owe = () => {
    owed += 1
  }
  const hear = (event: AgentEvent) => {
    // A text that was to be taken up begins a turn after all.
    if (event.type === "notice" && event.kind === "queued") owe()
    if (event.type !== "turn_done") return
    // The agent also begins turns by itself, which nobody is owed.
    owed = Math.max(0, owed - 1)
    if (owed === 0 && waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
  }
  /** `none`: completes when no turn is owed. */
  return { owe, hear, none }
}
