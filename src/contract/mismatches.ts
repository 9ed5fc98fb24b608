/** Reasons why a run was ended, or its answer refused: what the CLI gave is not what was asked for. */
import { Schema } from "effect"

/** The CLI reports another way of paying than the `billing` policy demands; it was stopped before its first tool. */
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

/** The CLI reports a weaker permission mode than `permissionMode` asked for; it was stopped before its first tool. */
export class PermissionModeMismatch extends Schema.TaggedError<PermissionModeMismatch>()("PermissionModeMismatch", {
  /** In the words of `permissionMode`. */
  asked: Schema.String,
  /** In the words of the CLI. */
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
 * The CLI went on in another session than the one that it was asked to resume, or than the one it had begun; it was
 * stopped. The `sessionId` of the result is the one that was asked for.
 */
export class SessionChanged extends Schema.TaggedError<SessionChanged>()("SessionChanged", {
  asked: Schema.String,
  got: Schema.String
}) {
  readonly code = "session_changed"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    return `The session is ${quoted(this.asked)}, but the CLI goes on in ${quoted(this.got)}`
  }
}

/** The answer is none that `outputSchema` allows. */
export class SchemaNotMet extends Schema.TaggedError<SchemaNotMet>()("SchemaNotMet", {
  /** Where the answer is wrong, and what is wrong with it: `/a: is missing`. */
  problem: Schema.String
}) {
  readonly code = "schema_not_met"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    return `The answer does not meet outputSchema: ${this.problem}`
  }
}

const longestQuote = 200

/** A word of the CLI, which may be anything. */
const quoted = (text: string) => JSON.stringify(text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}…`)
