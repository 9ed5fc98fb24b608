/** A permission request of a CLI before it becomes an event, and the decision for the CLI. */
import type { Match } from "./Rule.ts"
import type { PermissionRequestEvent } from "./SessionEvent.ts"

/** A wider permission that the agent offers with a request; it is never given to the agent itself. */
export interface Offer {
  /** For people, in a few words. */
  readonly label: string
  /** Everything that it covers, in a sentence for people. */
  readonly covers: string
  readonly match: Match
}

/** A permission request in the terms that all CLIs share. Paths and the directory may be relative. */
export interface PermissionAsk
  extends Omit<PermissionRequestEvent, "type" | "preview" | "notShown" | "scopes" | "deadlineMs" | "escalated"> {
  /** Default: false. */
  readonly escalated?: boolean
  /** Whether an answer can change the input of the call. */
  readonly takesInput: boolean
  /** The part of the input that no other field contains, for the preview. Default: all of it. */
  readonly rest?: unknown
  /** The fields do not describe all that the call would do: it can be decided, but not remembered. */
  readonly isIncomplete?: boolean
  /** Become scopes of the request if they cover it. */
  readonly offers?: ReadonlyArray<Offer>
}

/** The decision for the CLI; with another input only where it supports that. */
export type Decision =
  | { readonly decision: "allow"; readonly input?: unknown }
  | {
      readonly decision: "deny"
      readonly message: string
      readonly interrupt?: boolean
      /** The message only says that it was denied. */
      readonly isBare?: boolean
    }
