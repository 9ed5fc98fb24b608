/** The error of the store, and of what is asked of it beside runs: one type with a closed union of reasons. */
import type { Aborted, InvalidParams, SessionBusy, StoreUnavailable, UnsupportedOption } from "../Reasons.ts"

/** The members that every reason has. */
interface ReasonParts<Tag extends string> extends Error {
  readonly _tag: Tag
  /** The same as `_tag`. */
  readonly name: string
  /** For people; without prompts and secrets. */
  readonly message: string
}

/** The store was written by a newer version of this package; it is left as it is. */
export interface StoreTooNew extends ReasonParts<"StoreTooNew"> {
  /** A file, or the host and database of a server. */
  readonly place: string
  /** The number of its schema. */
  readonly version: number
  /** The newest that this version knows. */
  readonly supported: number
}

/** The store may not be used where it is, or by this user; nothing was changed. */
export interface StoreRefused extends ReasonParts<"StoreRefused"> {
  /** A file or directory, or the host and database of a server. */
  readonly place: string
  /** As the rest of a sentence about the place. */
  readonly problem: string
  /** A sentence for people. */
  readonly cure: string
}

/** No session, or none that is left, goes by this name. */
export interface UnknownSession extends ReasonParts<"UnknownSession"> {
  /** As it was asked for. */
  readonly session: string
  /** The name that was probably meant. */
  readonly nearest?: string
}

/** Several sessions go by this name. */
export interface AmbiguousSession extends ReasonParts<"AmbiguousSession"> {
  /** As it was asked for. */
  readonly session: string
  /** Their ids in the store, ten at most. */
  readonly candidates: ReadonlyArray<string>
}

/** Of this session, no transcript is kept. */
export interface NotKept extends ReasonParts<"NotKept"> {
  /** The id in the store, or the CLI's own. */
  readonly session: string
}

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

/** The facts of the error. */
export interface StoreErrorFields {
  /** Match on `reason._tag`. */
  readonly reason: StoreReason
}

/** The only error of a store. */
export interface StoreError extends Error, StoreErrorFields {
  readonly _tag: "StoreError"
  /** What to do about it; one or two sentences for people. */
  readonly help: string
}
