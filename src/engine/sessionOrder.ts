/** The gate for sessions: no CLI prevents two processes from writing to the same session, so within this process they wait. */
import type { Gate } from "./Gate.ts"
import { makeStartQueue, newQueue } from "./startQueue.ts"

export const makeSessionOrder = (queue = newQueue()): Gate =>
  makeStartQueue(
    {
      name: "session order",
      obstacleOf: ({ cli, sessionId }, active) => {
        if (sessionId === undefined) return undefined
        const isUsed = active.some(
          (other) => other.cli === cli && (other.sessionId === sessionId || other.opened === sessionId)
        )
        return isUsed ? { limit: "session", problem: "another run uses the session" } : undefined
      }
    },
    queue
  )
