/** The gate for sessions: no CLI prevents two processes from writing to the same session, so within this process they wait. */
import type { RunStart, SessionStart } from "../types/Start.ts"
import type { Gate } from "./Gate.ts"
import { makeStartQueue } from "./startQueue.ts"

/** A fork does not write to the session. */
const wantedBy = ({ params: { sessionId, forkSession } }: RunStart | SessionStart) =>
  forkSession === true ? undefined : sessionId

export const makeSessionOrder = (): Gate =>
  makeStartQueue({
    name: "session order",
    obstacleOf: (start, active) => {
      const wanted = wantedBy(start)
      if (wanted === undefined) return undefined
      const isUsed = active.some(
        (other) => other.start.cli === start.cli && (wantedBy(other.start) === wanted || other.opened === wanted)
      )
      return isUsed ? { limit: "session", problem: "another run uses the session" } : undefined
    }
  })
