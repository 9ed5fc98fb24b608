/** The error of the store, and of what is asked of it beside runs: one type with a closed union of reasons. */
import { Inspectable, Schema } from "effect"
import { Aborted, InvalidParams, SessionBusy, StoreUnavailable, UnsupportedOption } from "./AgentError.ts"
import { acrossCopies } from "./acrossCopies.ts"
import { helpOf } from "./help.ts"

/** The store was written by a newer version of this package; it is left as it is. */
export class StoreTooNew extends Schema.TaggedError<StoreTooNew>()("StoreTooNew", {
  /** A file, or the host and database of a server. */
  place: Schema.String,
  /** The number of its schema. */
  version: Schema.Int,
  /** The newest that this version knows. */
  supported: Schema.Int
}) {
  override get message() {
    return `The store ${this.place} was written by a newer version of Reins: its schema is ${this.version}, and this version knows ${this.supported}`
  }
}

/** The store may not be used where it is, or by this user; nothing was changed. */
export class StoreRefused extends Schema.TaggedError<StoreRefused>()("StoreRefused", {
  /** A file or directory, or the host and database of a server. */
  place: Schema.String,
  /** As the rest of a sentence about the place. */
  problem: Schema.String,
  /** A sentence for people. */
  cure: Schema.String
}) {
  override get message() {
    return `The store ${this.place} ${this.problem}`
  }
}

/** No session, or none that is left, goes by this name. */
export class UnknownSession extends Schema.TaggedError<UnknownSession>()("UnknownSession", {
  /** As it was asked for. */
  session: Schema.String,
  /** The name that was probably meant. */
  nearest: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const hint = this.nearest === undefined ? "" : `; did you mean ${JSON.stringify(this.nearest)}?`
    return `No session is known as ${JSON.stringify(this.session)}${hint}`
  }
}

/** Several sessions go by this name. */
export class AmbiguousSession extends Schema.TaggedError<AmbiguousSession>()("AmbiguousSession", {
  /** As it was asked for. */
  session: Schema.String,
  /** Their ids in the store, ten at most. */
  candidates: Schema.Array(Schema.String)
}) {
  override get message() {
    return `${JSON.stringify(this.session)} may be each of ${this.candidates.join(", ")}`
  }
}

/** Of this session, no transcript is kept. */
export class NotKept extends Schema.TaggedError<NotKept>()("NotKept", {
  /** The id in the store, or the CLI's own. */
  session: Schema.String
}) {
  override get message() {
    return `No transcript is kept of the session ${JSON.stringify(this.session)}`
  }
}

const fields = {
  reason: Schema.Union([
    StoreTooNew,
    StoreRefused,
    StoreUnavailable,
    UnknownSession,
    AmbiguousSession,
    NotKept,
    SessionBusy,
    InvalidParams,
    UnsupportedOption,
    Aborted
  ])
}

export type StoreReason = typeof fields.reason.Type

const helpFor = (reason: StoreReason): string => {
  switch (reason._tag) {
    case "StoreTooNew":
      return "Update Reins, or use another directory for the store."
    case "StoreRefused":
      return reason.cure
    case "UnknownSession":
      return "`reins sessions` lists those that there are."
    case "AmbiguousSession":
      return "Give the whole id, or the CLI and its session id."
    case "NotKept":
      return "Transcripts are kept of the newest sessions alone: raise `keep.transcripts` for those to come."
    default:
      return helpOf(reason)
  }
}

/** Match on `reason._tag`. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", fields) {
  /** What to do about it; one or two sentences for people. */
  readonly help: string = helpFor(this.reason)

  constructor(given: Schema.Struct.Type<typeof fields>, options?: Schema.MakeOptions) {
    super(given, options)
    Object.defineProperty(this, "reason", { enumerable: false })
  }

  override get message() {
    return this.reason.message
  }

  /** The JSON form: the fields, and the facts that follow from them. The Schema `StoreError` reads it. */
  override toJSON() {
    const { message, help } = this
    return { ...Schema.encodeSync(StoreError)(this), message, help }
  }
}

acrossCopies(StoreError, "StoreError")
for (const member of [StoreTooNew, StoreRefused, UnknownSession, AmbiguousSession, NotKept]) {
  acrossCopies(member, member.identifier)
}

// As of `AgentError`.
Object.defineProperty(StoreError.prototype, Inspectable.NodeInspectSymbol, { value: undefined })
