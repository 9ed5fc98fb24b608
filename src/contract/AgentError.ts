/**
 * The error of a failed run: one type with a closed union of reasons. Facts are fields, and messages are composed of them.
 * Prompts and secrets never enter a message; an excerpt of stderr does where the process itself gave no cause. Printed, an
 * error is its message, its stack and a few facts: `reason` and `result` have the rest, and are not enumerable.
 */
import { Inspectable, Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"
import { acrossCopies } from "./acrossCopies.ts"
import { FailureReason, type RunReason, runReason } from "./FailureReason.ts"
import { helpOf } from "./help.ts"

export { FailureReason } from "./FailureReason.ts"
export * from "./failures.ts"
export * from "./mismatches.ts"
export * from "./refusals.ts"

const fields = {
  cli: Schema.String,
  reason: FailureReason,
  result: AgentRunResult,
  /** Text, thinking or a tool call had arrived: a retry repeats some of it. */
  hadOutput: Schema.Boolean
}

/** The only error of both doors. Match on `reason._tag`; `result` is the result up to the failure. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", fields) {
  /** The reason in one word, as in `result.reason`: `not_installed`. */
  readonly code: RunReason = runReason[this.reason._tag]
  /** What to do about it; one or two sentences for people. */
  readonly help: string = helpOf(this.reason)

  constructor(given: Schema.Struct.Type<typeof fields>, options?: Schema.MakeOptions) {
    super(given, options)
    for (const name of ["reason", "result"]) Object.defineProperty(this, name, { enumerable: false })
  }

  /** The CLI, unless the reason names it, and the message of the reason. */
  override get message() {
    const { message } = this.reason
    return message.startsWith(`${this.cli} `) ? message : `${this.cli}: ${message}`
  }

  /** The JSON form: the fields, and the facts that follow from them. The Schema `AgentError` reads it. */
  override toJSON() {
    const { message, code, help, reason } = this
    const { category, retryable } = reason
    return { ...Schema.encodeSync(AgentError)(this), message, code, category, retryable, help }
  }
}

acrossCopies(AgentError, "AgentError")

// The inspector of Effect shows neither message nor stack.
Object.defineProperty(AgentError.prototype, Inspectable.NodeInspectSymbol, { value: undefined })
