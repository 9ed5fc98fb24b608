/** The gate for sessions: no CLI keeps two processes from writing to one, so within this process one waits for the other. */
import type { RunStart, SessionStart } from "../contract/Start.ts"
import type { Gate } from "./Gate.ts"
import { makeWaitingLine } from "./waitingLine.ts"

/** A fork leaves the session as it was. */
const wantedBy = ({ params: { sessionId, forkSession } }: RunStart | SessionStart) =>
  forkSession === true ? undefined : sessionId

export const makeSessionOrder = (): Gate =>
  makeWaitingLine({
    name: "session order",
    obstacleOf: (start, going) => {
      const wanted = wantedBy(start)
      if (wanted === undefined) return undefined
      const isUsed = going.some(
        (other) => other.start.cli === start.cli && (wantedBy(other.start) === wanted || other.opened === wanted)
      )
      return isUsed ? { limit: "session", problem: "another run uses the session" } : undefined
    }
  })
