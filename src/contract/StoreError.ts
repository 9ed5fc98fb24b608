/** The error of a store and its operations: one type with a closed union of reasons. */
import { Schema } from "effect"
import { Aborted, InvalidParams, SessionBusy, StoreUnavailable, UnsupportedOption } from "./AgentError.ts"
import { helpOf } from "./help.ts"
import { type ErrorParts, errorOfReason, reason } from "./reason.ts"
import { schemaOf } from "./schemaOf.ts"

/** The store was written by a newer version of this package; it is left as it is. */
export interface StoreTooNew extends ErrorParts<"StoreTooNew"> {
  /** A file, or the host and database of a server. */
  readonly place: string
  /** The number of its schema. */
  readonly version: number
  /** The newest that this version knows. */
  readonly supported: number
}

export const StoreTooNew = reason<StoreTooNew>()("StoreTooNew", {
  fields: { place: Schema.String, version: Schema.Int, supported: Schema.Int },
  message: ({ place, version, supported }) =>
    `The store ${place} was written by a newer version of Reins: its schema is ${version}, and this version knows ${supported}`
})

/** The store may not be used where it is, or by this user; nothing was changed. */
export interface StoreRefused extends ErrorParts<"StoreRefused"> {
  /** A file or directory, or the host and database of a server. */
  readonly place: string
  /** As the rest of a sentence about the place. */
  readonly problem: string
  /** A sentence for people. */
  readonly cure: string
}

export const StoreRefused = reason<StoreRefused>()("StoreRefused", {
  fields: { place: Schema.String, problem: Schema.String, cure: Schema.String },
  message: ({ place, problem }) => `The store ${place} ${problem}`
})

/** No session has this name, or it was removed. */
export interface UnknownSession extends ErrorParts<"UnknownSession"> {
  /** The requested name. */
  readonly session: string
  /** The closest known name. */
  readonly nearest?: string
}

export const UnknownSession = reason<UnknownSession>()("UnknownSession", {
  fields: { session: Schema.String, nearest: Schema.optionalKey(Schema.String) },
  message: ({ session, nearest }) => {
    const hint = nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`
    return `No session is known as ${JSON.stringify(session)}${hint}`
  }
})

/** Several sessions have this name. */
export interface AmbiguousSession extends ErrorParts<"AmbiguousSession"> {
  /** The requested name. */
  readonly session: string
  /** Their ids in the store, ten at most. */
  readonly candidates: ReadonlyArray<string>
}

export const AmbiguousSession = reason<AmbiguousSession>()("AmbiguousSession", {
  fields: { session: Schema.String, candidates: Schema.Array(Schema.String) },
  message: ({ session, candidates }) => `${JSON.stringify(session)} can be any of ${candidates.join(", ")}`
})

/** The store keeps no transcript of this session. */
export interface NotKept extends ErrorParts<"NotKept"> {
  /** The id in the store, or the CLI's own. */
  readonly session: string
}

export const NotKept = reason<NotKept>()("NotKept", {
  fields: { session: Schema.String },
  message: ({ session }) => `No transcript is kept of the session ${JSON.stringify(session)}`
})

/** Why the store could not do it. */
export type StoreReason =
  | StoreTooNew
  | StoreRefused
  | StoreUnavailable
  | UnknownSession
  | AmbiguousSession
  | NotKept
  | SessionBusy
  | InvalidParams
  | UnsupportedOption
  | Aborted

const StoreReason = schemaOf<StoreReason>()(
  Schema.Union([
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
)

const helpFor = (why: StoreReason): string => {
  switch (why._tag) {
    case "StoreTooNew":
      return "Update Reins, or use another directory for the store."
    case "StoreRefused":
      return why.cure
    case "UnknownSession":
      return "`reins sessions` lists all sessions."
    case "AmbiguousSession":
      return "Give more of the id, or the whole one, or the CLI and its session id."
    case "NotKept":
      return "Only the newest sessions keep their transcripts: raise `keep.transcripts` for later ones."
    default:
      return helpOf(why)
  }
}

/** The facts of the error. */
export interface StoreErrorFields {
  /** Match on `reason._tag`. */
  readonly reason: StoreReason
}

/** The only error of a store. */
export interface StoreError extends ErrorParts<"StoreError">, StoreErrorFields {
  /** The remedy; one or two sentences for people. */
  readonly help: string
}

export const StoreError = errorOfReason<StoreError>()("StoreError", {
  fields: { reason: StoreReason },
  help: ({ reason: why }) => helpFor(why),
  message: ({ reason: { message } }) => message,
  hidden: ["reason"],
  json: ({ message, help }) => ({ message, help })
})
