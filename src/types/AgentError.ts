/** The error of a failed run: one type with a closed union of reasons. */
import type { AgentRunResult } from "./AgentRunResult.ts"
import type { FailureReason } from "./FailureReason.ts"

/** The facts of an error. */
export interface AgentErrorFields {
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Why it failed; `reason._tag` tells the reasons apart. */
  readonly reason: FailureReason
  /** The result up to the failure. */
  readonly result: AgentRunResult
  /** Text, thinking or a tool call had arrived: a retry repeats some of it. */
  readonly hadOutput: boolean
}

/** The only error of both doors. Match on `reason._tag`; `result` is the result up to the failure. */
export interface AgentError extends Error, AgentErrorFields {
  readonly _tag: "AgentError"
}
