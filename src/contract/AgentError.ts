/**
 * The error of a failed run: one type with a closed union of reasons. Facts are fields, and messages are composed of them.
 * Prompts and secrets never enter a message; an excerpt of stderr does where the process itself gave no cause.
 */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"
import { FailureReason } from "./FailureReason.ts"

export { FailureReason } from "./FailureReason.ts"
export * from "./failures.ts"
export * from "./mismatches.ts"
export * from "./refusals.ts"

/** The only error of both doors. Match on `reason._tag`; `result` is the result up to the failure. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  cli: Schema.String,
  reason: FailureReason,
  result: AgentRunResult,
  /** Text, thinking or a tool call had arrived: a retry repeats some of it. */
  hadOutput: Schema.Boolean
}) {
  override get message() {
    return `${this.cli}: ${this.reason.message}`
  }
}
