/**
 * Which events of a session were those of a turn of the caller: its observers get all, with copies, and those of a turn the
 * turn's own as well. The rest are of turns that the CLI has begun by itself.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"

/** Undefined for events that make no span and no event of one. */
const keyOf = (event: AgentEvent): string | undefined => {
  switch (event.type) {
    case "tool_use":
    case "tool_result":
      return `${event.type} ${event.toolId}`
    case "permission_request":
    case "permission_decision":
      return `${event.type} ${event.requestId}`
    case "notice":
      return `${event.kind} ${event.message}`
    default:
      return undefined
  }
}

export const makeTaken = () => {
  let counts = new Map<string, number>()
  return {
    /** The events of a turn, in the go in which the session has them, and before `rest`. */
    add: (events: ReadonlyArray<AgentEvent>) => {
      for (const event of events) {
        const key = keyOf(event)
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    },
    /** Those that no turn has taken. */
    rest: (events: ReadonlyArray<AgentEvent>): ReadonlyArray<AgentEvent> => {
      const left = events.filter((event) => {
        const key = keyOf(event)
        const count = key === undefined ? 0 : (counts.get(key) ?? 0)
        if (key !== undefined && count > 0) counts.set(key, count - 1)
        return count === 0
      })
      counts = new Map()
      return left
    }
  }
}
