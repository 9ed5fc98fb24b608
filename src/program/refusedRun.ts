/** A run that was refused before anything was started → what is to be said of it, in the words of the flags. */
import { Stream } from "effect"
import type { AgentEvent, ErrorEvent } from "../contract/AgentEvent.ts"
import { endingOf } from "./exit.ts"
import { problemInFlags } from "./flagNames.ts"

interface Held {
  readonly errors: ReadonlyArray<ErrorEvent>
  readonly isOver: boolean
}

/**
 * The events of a run that was not refused. An error is held back until another event shows that something was started;
 * a refused run gives no events, and its errors to `onRefused`.
 */
export const unlessRefused = <E, R>(
  events: Stream.Stream<AgentEvent, E, R>,
  onRefused: (problems: ReadonlyArray<string>) => void
): Stream.Stream<AgentEvent, E, R> =>
  Stream.mapAccumArray(
    events,
    (): Held => ({ errors: [], isOver: false }),
    (before, batch) => {
      if (before.isOver) return [before, batch]
      let held = before
      const passed: Array<AgentEvent> = []
      for (const event of batch) {
        if (!held.isOver && event.type === "error") {
          held = { ...held, errors: [...held.errors, event] }
          continue
        }
        const isRefusal = !held.isOver && event.type === "done" && endingOf(event.result) === "bad_usage"
        if (isRefusal) onRefused(held.errors.map(problemInFlags))
        else passed.push(...held.errors, event)
        held = { errors: [], isOver: true }
      }
      return [held, passed]
    },
    { onHalt: ({ errors }) => [...errors] }
  )
