/** What the end of a run says of the session that it went on with; pure. */
import type { ErrorCategory } from "../../contract/ErrorCategory.ts"
import type { End } from "../../contract/Start.ts"

/**
 * - `healthy`: it can be gone on with. `unchanged`: the end says nothing of it.
 * - `dead`: its CLI no longer has it. `failing`: nothing came of it, and the failure may be its own.
 * - `quarantined`: to go on with it would give the same again.
 */
export const sessionVerdicts = ["healthy", "unchanged", "dead", "failing", "quarantined"] as const
export type SessionVerdict = (typeof sessionVerdicts)[number]

/** Failures in a row without output after which a session is left alone. */
export const mostFailures = 3

/** Failures of the model's server, the account, the machine or the caller: no fault of a session. */
const ofOthers: ReadonlySet<ErrorCategory> = new Set([
  "auth",
  "billing",
  "rate_limit",
  "overloaded",
  "network",
  "not_installed",
  "spawn",
  "aborted",
  "permission",
  "busy"
])

/** Success without a turn, without time at the model and without a word. */
const isEmpty = ({ result: { numTurns, apiDurationMs = 0, text, structuredOutput }, hadOutput }: End) =>
  numTurns === 0 && apiDurationMs === 0 && text.trim() === "" && structuredOutput === undefined && !hadOutput

/** `failures`: of the session so far, in a row. `isResumed`: the run went on with a session that was there before. */
export const verdictOf = (
  end: End,
  { isResumed, failures }: { readonly isResumed: boolean; readonly failures: number }
): SessionVerdict => {
  const { failure, hadOutput, result } = end
  if (failure === undefined) return isEmpty(end) ? "quarantined" : "healthy"
  if (!isResumed || failure._tag === "SessionChanged") return "unchanged"
  if (failure.category === "session_not_found") return "dead"
  if (hadOutput || ofOthers.has(failure.category) || failure._tag === "Refused") return "unchanged"
  // The CLI refuses the session before its first turn.
  if (failure._tag === "AgentFailed" && result.numTurns === 0) return "quarantined"
  return failures + 1 >= mostFailures ? "quarantined" : "failing"
}

/** Nothing had run: the turn may be asked once more, in a new session. */
export const mayBeginAnew = (verdict: SessionVerdict, { hadOutput }: End): boolean =>
  (verdict === "dead" || verdict === "quarantined") && !hadOutput
