/** The error of a failed run: one type with a closed union of reasons. */

import type { AgentRunResult } from "../AgentRunResult.ts"
import type { ErrorCategory } from "../ErrorCategory.ts"
import type { FailureReason, RunReason } from "../Reasons.ts"

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

/** An error as JSON: its fields, and the facts that follow from them. */
export interface AgentErrorJson {
  readonly _tag: "AgentError"
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** The fields of the reason, with its `_tag`. */
  readonly reason: { readonly _tag: FailureReason["_tag"] }
  /** The result up to the failure. */
  readonly result: object
  /** Text, thinking or a tool call had arrived: a retry repeats some of it. */
  readonly hadOutput: boolean
  /** For people. */
  readonly message: string
  /** The reason in one word, as in `result.reason`. */
  readonly code: RunReason
  /** The category of the error, the same for every CLI. */
  readonly category: ErrorCategory
  /** The same run may succeed if it is tried again. */
  readonly retryable: boolean
  /** What to do about it; one or two sentences for people. */
  readonly help: string
}

/** The only error of both doors. Match on `reason._tag`; `result` is the result up to the failure. */
export interface AgentError extends Error, AgentErrorFields {
  readonly _tag: "AgentError"
  /** The reason in one word, as in `result.reason`: `not_installed`. */
  readonly code: RunReason
  /** What to do about it; one or two sentences for people. */
  readonly help: string
  /** The JSON form: the fields, and the facts that follow from them. The Schema `AgentError` of the Effect door reads it. */
  readonly toJSON: () => AgentErrorJson
}
