/**
 * Why a run failed: one error type with a closed union of reasons. Facts are fields and messages are made of them.
 * Prompts and secrets never enter a message; of stderr there is an excerpt where the process itself gave no cause.
 */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"
import { FailureReason } from "./FailureReason.ts"

export { FailureReason } from "./FailureReason.ts"
export * from "./failures.ts"
export * from "./mismatches.ts"
export * from "./refusals.ts"

/** The one error of both doors. Match on `reason._tag`; `result` has what the run gave until then. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  cli: Schema.String,
  reason: FailureReason,
  result: AgentRunResult,
  /** Text, a thought or a tool call had come: to do it again is to do some of it twice. */
  hadOutput: Schema.Boolean
}) {
  override get message() {
    return `${this.cli}: ${this.reason.message}`
  }
}
