/** The result of a run or a turn, and the events of a failure; pure. */
import type { RunReport } from "../../cli/Decoder.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent, ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { runReason } from "../../contract/FailureReason.ts"
import { helpOf } from "../../contract/help.ts"
import type { Ending } from "./judge.ts"

/** Throws for an invalid reason, which the plan of an application's CLI may fail with. */
export const errorEvent = (reason: FailureReason): ErrorEvent => {
  if (!Object.hasOwn(runReason, reason._tag)) throw new TypeError("The failure is not a reason of AgentError")
  return {
    type: "error",
    message: reason.message,
    code: reason.code,
    category: reason.category,
    retryable: reason.retryable,
    ...(reason._tag === "AgentFailed" && reason.retryAfterMs !== undefined
      ? { retryAfterMs: reason.retryAfterMs }
      : {}),
    help: helpOf(reason)
  }
}

const outcomeOf = (failure: FailureReason | undefined): AgentRunResult["outcome"] => {
  if (failure === undefined) return "completed"
  if (failure._tag === "Aborted") return "aborted"
  return failure._tag === "TimedOut" ? "timed_out" : "failed"
}

export interface ResultParts {
  readonly ending: Ending
  readonly text: string
  readonly durationMs: number
  readonly report: RunReport
  readonly stderr: string
}

const stderrTailLength = 4_000

export const makeResult = ({ ending, text, durationMs, report, stderr }: ResultParts): AgentRunResult => {
  const { sessionId, usage, ...facts } = report
  const { failure, exit } = ending
  return {
    outcome: outcomeOf(failure),
    reason: failure === undefined ? "completed" : runReason[failure._tag],
    text,
    // The wrong session must not replace the one that the caller keeps.
    sessionId: failure?._tag === "SessionChanged" ? failure.asked : sessionId,
    durationMs,
    usage,
    aborted: failure?._tag === "Aborted",
    ...facts,
    ...(stderr === "" ? {} : { stderrTail: stderr.slice(-stderrTailLength) }),
    ...(exit === undefined ? {} : { exit })
  }
}

/** The result of a run that failed before anything was started. */
export const resultOfNothing = (reason: FailureReason): AgentRunResult =>
  makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })

/** The same of a turn of a live session. */
export const asTurn = (event: AgentEvent): AgentEvent =>
  event.type === "done" ? { type: "turn_done", result: event.result } : event

/** All events of such a run. */
export const failedRun = (reason: FailureReason): ReadonlyArray<AgentEvent> => [
  errorEvent(reason),
  { type: "done", result: resultOfNothing(reason) }
]
