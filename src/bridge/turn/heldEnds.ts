/**
 * Failures and ends of an attempt are held back until it is known that there is no other one: whoever listens hears of one
 * turn. After any output there never is another, and nothing is held.
 */
import { Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"

const isEnd = ({ type, parentToolId }: AgentEvent) =>
  parentToolId === undefined && (type === "error" || type === "turn_done" || type === "done")

export interface HeldEnds {
  /** `hadOutput`: with this event. */
  readonly push: (event: AgentEvent, hadOutput: boolean) => Effect.Effect<void>
  /** There is no other attempt. */
  readonly release: Effect.Effect<void>
  /** There is another one. */
  readonly drop: Effect.Effect<void>
}

export const makeHeldEnds = (listen: (event: AgentEvent) => Effect.Effect<void>): HeldEnds => {
  let held: Array<AgentEvent> = []
  const release = Effect.suspend(() => {
    const events = held
    held = []
    return Effect.forEach(events, listen, { discard: true })
  })
  return {
    push: (event, hadOutput) =>
      Effect.suspend(() => {
        if (hadOutput) return Effect.andThen(release, listen(event))
        if (!isEnd(event)) return listen(event)
        held.push(event)
        return Effect.void
      }),
    release,
    drop: Effect.sync(() => {
      held = []
    })
  }
}
