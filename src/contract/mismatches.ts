/** Failure reasons of runs in which the CLI did not do what was requested. */
import { Schema } from "effect"
import type * as Types from "./Reasons.ts"

/** The CLI reports another way of paying than the `billing` policy requires; it was stopped before its first tool. */
export class BillingMismatch extends Schema.TaggedError<BillingMismatch>()("BillingMismatch", {
  policy: Schema.Literals(["subscription", "api-key"]),
  reported: Schema.String
}) {
  readonly code = "billing_mismatch"
  readonly category = "billing"
  readonly retryable = false
  override get message() {
    return `billing is "${this.policy}", but the CLI reports "${this.reported}" as the source of its credentials`
  }
}

/** The CLI reports a weaker permission mode than the requested `permissionMode`; it was stopped before its first tool. */
export class PermissionModeMismatch extends Schema.TaggedError<PermissionModeMismatch>()("PermissionModeMismatch", {
  /** The requested mode. */
  asked: Schema.String,
  /** The mode as the CLI names it. */
  reported: Schema.String
}) {
  readonly code = "permission_mode_mismatch"
  readonly category = "permission"
  readonly retryable = false
  override get message() {
    return `permissionMode is "${this.asked}", but the CLI reports ${quoted(this.reported)}`
  }
}

/**
 * The CLI continued in another session than the one to resume, or than the one it had opened; it was stopped. The
 * `sessionId` of the result is the requested one.
 */
export class SessionChanged extends Schema.TaggedError<SessionChanged>()("SessionChanged", {
  asked: Schema.String,
  got: Schema.String
}) {
  readonly code = "session_changed"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    return `The session is ${quoted(this.asked)}, but the CLI continues in ${quoted(this.got)}`
  }
}

export const OutputProblem = Schema.Struct({
  path: Schema.String,
  message: Schema.String
}).annotate({ identifier: "OutputProblem" })
export type OutputProblem = Types.OutputProblem

/** The answer does not match `outputSchema`, also after its `retries`. */
export class SchemaNotMet extends Schema.TaggedError<SchemaNotMet>()("SchemaNotMet", {
  /** The first 16 problems of the last answer. */
  errors: Schema.Array(OutputProblem)
}) {
  readonly code = "schema_not_met"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    const [first = { path: "", message: "is wrong" }, ...others] = this.errors
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`
    return `The answer does not match outputSchema: ${problemText(first)}${more}`
  }
}

/** `/a: is missing`. */
export const problemText = ({ path, message }: OutputProblem) => (path === "" ? message : `${path}: ${message}`)

const maxQuoteLength = 200

/** Quotes a text of the CLI. */
const quoted = (text: string) =>
  JSON.stringify(text.length <= maxQuoteLength ? text : `${text.slice(0, maxQuoteLength)}…`)
