/** The events of a failure; pure. */
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent, ErrorEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { runReason } from "../contract/FailureReason.ts"
import { makeResult } from "./judge.ts"

/** Throws for what is no reason, such as a plan of an application's CLI may fail with. */
export const errorEvent = (reason: FailureReason): ErrorEvent => {
  if (!Object.hasOwn(runReason, reason._tag)) throw new TypeError("The failure is no reason of AgentError")
  return {
    type: "error",
    message: reason.message,
    code: reason.code,
    category: reason.category,
    retryable: reason.retryable,
    ...(reason._tag === "AgentFailed" && reason.retryAfterMs !== undefined ? { retryAfterMs: reason.retryAfterMs } : {})
  }
}

/** The result of a run that failed before anything was started. */
export const resultOfNothing = (reason: FailureReason): AgentRunResult =>
  makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })

/** All events of such a run. */
export const failedRun = (reason: FailureReason): ReadonlyArray<AgentEvent> => [
  errorEvent(reason),
  { type: "done", result: resultOfNothing(reason) }
]
