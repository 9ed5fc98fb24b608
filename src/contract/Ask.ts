/** A permission request as a CLI makes it, before it becomes an event, and the decision that the CLI is given. */
import type { Match } from "./Rule.ts"
import type { PermissionRequestEvent } from "./SessionEvent.ts"

/** What the agent offers to be allowed beyond this one request; it is never handed back to the agent. */
export interface Offer {
  readonly label: string
  readonly covers: string
  readonly match: Match
}

/** A permission request in the words that all CLIs share. Paths and the directory may be relative. */
export interface PermissionAsk
  extends Omit<PermissionRequestEvent, "type" | "preview" | "notShown" | "scopes" | "deadlineMs" | "escalated"> {
  /** Default: false. */
  readonly escalated?: boolean
  /** Whether the tool can be called with another input than it asked for. */
  readonly takesInput: boolean
  /** What of the input no other field says, for the preview. Default: all of it. */
  readonly rest?: unknown
  /** What it would do is not in the request, whatever else is. */
  readonly isUntold?: boolean
  /** Offered as scopes where they cover the request itself. */
  readonly offers?: ReadonlyArray<Offer>
}

/** What the CLI is told; changed input only where it takes that. */
export type Decision =
  | { readonly decision: "allow"; readonly input?: unknown }
  | {
      readonly decision: "deny"
      readonly message: string
      readonly interrupt?: boolean
      /** The message says no more than that it was denied. */
      readonly isBare?: boolean
    }
