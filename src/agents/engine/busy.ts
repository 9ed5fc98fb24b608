/** The CLI's own refusal of a session that another process uses: one that the guard did not know of. */
import type { Cli } from "../../cli/Cli.ts"
import { SessionBusy } from "../../contract/AgentError.ts"
import { subjectName } from "../guard/subject.ts"
import type { Ending } from "./judge.ts"

export interface BusyFacts {
  readonly sessionId: string | undefined
  readonly stderr: string
}

export const asBusy = ({ refusesBusy }: Cli, { sessionId, stderr }: BusyFacts, ending: Ending): Ending => {
  const { failure } = ending
  if (sessionId === undefined || refusesBusy === undefined) return ending
  if (failure?._tag !== "Exited" && failure?._tag !== "AgentFailed") return ending
  if (!refusesBusy(failure._tag === "Exited" ? stderr : failure.detail, sessionId)) return ending
  const subject = subjectName({ what: "session", cli: "", sessionId })
  return { ...ending, failure: new SessionBusy({ what: "session", subject, waitedMs: 0 }) }
}
