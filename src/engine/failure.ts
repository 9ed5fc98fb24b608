/** The events of a failure; pure. */
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent, ErrorEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { makeResult } from "./judge.ts"

export const errorEvent = (reason: FailureReason): ErrorEvent => ({
  type: "error",
  message: reason.message,
  code: reason.code,
  category: reason.category,
  retryable: reason.retryable,
  ...(reason._tag === "AgentFailed" && reason.retryAfterMs !== undefined ? { retryAfterMs: reason.retryAfterMs } : {})
})

/** The result of a run that failed before anything was started. */
export const resultOfNothing = (reason: FailureReason): AgentRunResult =>
  makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })

/** All events of such a run. */
export const failedRun = (reason: FailureReason): ReadonlyArray<AgentEvent> => [
  errorEvent(reason),
  { type: "done", result: resultOfNothing(reason) }
]
