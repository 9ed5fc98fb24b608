/**
 * The closed union of failure reasons, and the word for each in a result. A reason is a class in `refusals.ts`,
 * `mismatches.ts` or `failures.ts` and a member of the union here; everything else is derived from these two.
 */
import { Inspectable, Schema } from "effect"
import { acrossCopies } from "./acrossCopies.ts"
import { Aborted, AgentFailed, Exited, Killed, NoResult, TimedOut, TurnInterrupted } from "./failures.ts"
import { BillingMismatch, PermissionModeMismatch, SchemaNotMet, SessionChanged } from "./mismatches.ts"
import type * as Types from "./Reasons.ts"
import {
  AttachmentRefused,
  BudgetExceeded,
  CommandLineTooLong,
  InvalidParams,
  LimitReached,
  NotInstalled,
  Refused,
  SessionBusy,
  SessionElsewhere,
  SettingsUnreadable,
  SpawnFailed,
  StoreUnavailable,
  TurnMismatch,
  UnsupportedOption
} from "./refusals.ts"

export const FailureReason = Schema.Union([
  NotInstalled,
  SpawnFailed,
  InvalidParams,
  UnsupportedOption,
  AttachmentRefused,
  CommandLineTooLong,
  SettingsUnreadable,
  LimitReached,
  Refused,
  SessionBusy,
  SessionElsewhere,
  TurnMismatch,
  StoreUnavailable,
  BudgetExceeded,
  BillingMismatch,
  PermissionModeMismatch,
  SessionChanged,
  SchemaNotMet,
  Aborted,
  TimedOut,
  AgentFailed,
  Exited,
  Killed,
  NoResult,
  TurnInterrupted
])
export type FailureReason = typeof FailureReason.Type

// Printed, a reason is its fields and its message: the inspector of Effect leaves the message out.
for (const member of FailureReason.members) {
  acrossCopies(member, member.identifier)
  Object.defineProperty(member.prototype, Inspectable.NodeInspectSymbol, {
    value(this: FailureReason) {
      return { ...Object(this.toJSON()), message: this.message }
    }
  })
}

type Tag = FailureReason["_tag"]

/** `TimedOut` → `timed_out`. */
const wordOf = (tag: string) => tag.replace(/\B[A-Z]/g, "_$&").toLowerCase()

// The keys are the tags of the union and the values their words; `Object.fromEntries` loses that type.
export const runReason = Object.fromEntries(
  FailureReason.members.map(({ identifier }) => [identifier, wordOf(identifier)])
) as { readonly [T in Tag]: SnakeCase<Uncapitalize<T>> }

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ""

export const RunReason = Schema.Literals<ReadonlyArray<Types.RunReason>>(["completed", ...Object.values(runReason)])
export type RunReason = Types.RunReason
