/** The closed union of the reasons of `Refusals.ts`, `NotAdmitted.ts` and `Failures.ts`, and the word for each. */
import { Schema } from "effect"
import {
  Aborted,
  AgentFailed,
  BillingMismatch,
  Exited,
  Killed,
  NoResult,
  PermissionModeMismatch,
  SchemaNotMet,
  SessionChanged,
  TimedOut,
  TurnInterrupted
} from "./Failures.ts"
import {
  BudgetExceeded,
  LimitReached,
  Refused,
  SessionBusy,
  SessionElsewhere,
  StoreUnavailable,
  TurnMismatch
} from "./NotAdmitted.ts"
import {
  AttachmentRefused,
  CommandLineTooLong,
  InvalidParams,
  NotInstalled,
  SettingsUnreadable,
  SpawnFailed,
  UnsupportedOption
} from "./Refusals.ts"
import { schemaOf } from "./schemaOf.ts"

/** Why a run failed; `_tag` tells the reasons apart. */
export type FailureReason =
  | NotInstalled
  | SpawnFailed
  | InvalidParams
  | UnsupportedOption
  | AttachmentRefused
  | CommandLineTooLong
  | SettingsUnreadable
  | LimitReached
  | Refused
  | SessionBusy
  | SessionElsewhere
  | TurnMismatch
  | StoreUnavailable
  | BudgetExceeded
  | BillingMismatch
  | PermissionModeMismatch
  | SessionChanged
  | SchemaNotMet
  | Aborted
  | TimedOut
  | AgentFailed
  | Exited
  | Killed
  | NoResult
  | TurnInterrupted

export const FailureReason = schemaOf<FailureReason>()(
  Schema.Union([
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
)

type Tag = FailureReason["_tag"]

/** `TimedOut` → `timed_out`. */
type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${Lowercase<First>}${Underscored<Rest>}`
  : ""

type Underscored<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Underscored<Rest>}`
  : ""

const wordOf = (tag: string) => tag.replace(/\B[A-Z]/g, "_$&").toLowerCase()

// The keys are the tags of the union and the values their words; `Object.fromEntries` loses that type.
export const runReason = Object.fromEntries(
  FailureReason.members.map(({ identifier }) => [identifier, wordOf(identifier)])
) as { readonly [T in Tag]: SnakeCase<T> }

/** Why a run ended. Each failure is one reason of `AgentError`, in snake case. */
export type RunReason = "completed" | SnakeCase<Tag>

export const RunReason = Schema.Literals<ReadonlyArray<RunReason>>(["completed", ...Object.values(runReason)])
