/** Why a run failed: one interface for each reason. Match on `_tag`; the facts of a reason are its fields. */
import type { BudgetUnit } from "./Budget.ts"
import type { ErrorCategory } from "./ErrorCategory.ts"
import type { SessionHolder } from "./SessionHolder.ts"

/** The members that every reason has. */
interface ReasonParts<Tag extends string> extends Error {
  readonly _tag: Tag
  /** The same as `_tag`. */
  readonly name: string
  /** Composed of the fields, for people; without prompts and secrets. */
  readonly message: string
  /** More specific than the category, the same as in `error` events. */
  readonly code: string
  /** The category of the error, the same for every CLI. */
  readonly category: ErrorCategory
  /** The same run may succeed if it is tried again. */
  readonly retryable: boolean
}

/** The program of the CLI was not found. */
export interface NotInstalled extends ReasonParts<"NotInstalled"> {
  readonly code: "not_installed"
  readonly category: "not_installed"
  readonly retryable: false
  /** The name or path that was tried. */
  readonly command: string
  /** The command that installs it. */
  readonly install: string
  /** How to sign in, as a part of a sentence. */
  readonly signIn: string
}

/** The operating system refused to start the process. */
export interface SpawnFailed extends ReasonParts<"SpawnFailed"> {
  readonly code: "spawn_failed"
  readonly category: "spawn"
  /** The name or path of the program. */
  readonly command: string
  /** Why, for people. */
  readonly problem: string
  /** The system's error code, such as `EACCES`, if there is one. */
  readonly errno?: string
}

/** A parameter or option is invalid; the call had no effect. */
export interface InvalidParams extends ReasonParts<"InvalidParams"> {
  readonly code: "invalid_params"
  readonly category: "invalid_request"
  readonly retryable: false
  /** Its name, with a dot for each level: `timeouts.idle`. */
  readonly option: string
  /** To follow the name: `is not a known field`. */
  readonly problem: string
}

/** The CLI does not support an option; the call had no effect. */
export interface UnsupportedOption extends ReasonParts<"UnsupportedOption"> {
  readonly code: "unsupported_option"
  readonly category: "invalid_request"
  readonly retryable: false
  /** Its name. */
  readonly option: string
  /** The id of the CLI. */
  readonly cli: string
}

/** An attachment cannot be read, is not what it is said to be, is too large, or is none that the CLI takes. */
export interface AttachmentRefused extends ReasonParts<"AttachmentRefused"> {
  readonly code: "attachment_refused"
  readonly category: "invalid_request"
  readonly retryable: false
  /** Its name. */
  readonly attachment: string
  /** The problem and the cure, to follow the name. */
  readonly problem: string
}

/** An option is too long for the command line; nothing was started. */
export interface CommandLineTooLong extends ReasonParts<"CommandLineTooLong"> {
  readonly code: "command_line_too_long"
  readonly category: "invalid_request"
  readonly retryable: false
  /** Its name. */
  readonly option: string
  /** Its length. */
  readonly bytes: number
  /** The greatest length. */
  readonly limitBytes: number
}

/** A settings file of the user cannot be extended for the run; it is untouched, and nothing was started. */
export interface SettingsUnreadable extends ReasonParts<"SettingsUnreadable"> {
  readonly code: "settings_unreadable"
  readonly category: "invalid_request"
  readonly retryable: false
  /** Absolute path. */
  readonly file: string
  /** To follow the path. */
  readonly problem: string
}

/** The limit that a run waited for. */
export type StartLimit = "session" | "perCli" | "total" | "stagger" | "freeMemoryBytes"

/** The run waited for its start longer than `limits.maxWait`; nothing was started. */
export interface LimitReached extends ReasonParts<"LimitReached"> {
  readonly code: "limit_reached"
  readonly category: "spawn"
  readonly retryable: true
  /** The limit that it waited for. */
  readonly limit: StartLimit
  /** What it waited for. */
  readonly problem: string
  /** The time that it could wait. */
  readonly maxWaitMs: number
}

/** The arguments of `new Refused`. */
export interface RefusedFields {
  /** Its name. */
  readonly gate: string
  /** Why, for people. */
  readonly problem: string
  /** The same may be let in later. */
  readonly retryable: boolean
}

/** A gate of the application did not let the run, session or turn go on; one that fails itself refuses, too. */
export interface Refused extends ReasonParts<"Refused">, RefusedFields {
  readonly code: "refused"
  readonly category: "other"
  readonly retryable: boolean
}

/** The CLI reports another way of paying than the `billing` policy requires; it was stopped before its first tool. */
export interface BillingMismatch extends ReasonParts<"BillingMismatch"> {
  readonly code: "billing_mismatch"
  readonly category: "billing"
  readonly retryable: false
  /** The required one. */
  readonly policy: "subscription" | "api-key"
  /** The source of its credentials, as the CLI names it. */
  readonly reported: string
}

/** The CLI reports a weaker permission mode than the requested `permissionMode`; it was stopped before its first tool. */
export interface PermissionModeMismatch extends ReasonParts<"PermissionModeMismatch"> {
  readonly code: "permission_mode_mismatch"
  readonly category: "permission"
  readonly retryable: false
  /** The requested mode. */
  readonly asked: string
  /** The mode as the CLI names it. */
  readonly reported: string
}

/**
 * The CLI continued in another session than the one to resume, or than the one it had opened; it was stopped. The
 * `sessionId` of the result is the requested one.
 */
export interface SessionChanged extends ReasonParts<"SessionChanged"> {
  readonly code: "session_changed"
  readonly category: "protocol"
  readonly retryable: false
  /** The id of the requested session. */
  readonly asked: string
  /** The id of the other one. */
  readonly got: string
}

/** One problem of an answer with its schema. */
export interface OutputProblem {
  /** JSON pointer of the place in the answer, such as `/files/0`; empty for the whole answer */
  readonly path: string
  /** The problem there, of up to 300 characters */
  readonly message: string
}

/** The answer does not match `outputSchema`, also after its `retries`. */
export interface SchemaNotMet extends ReasonParts<"SchemaNotMet"> {
  readonly code: "schema_not_met"
  readonly category: "protocol"
  readonly retryable: false
  /** The first 16 problems of the last answer. */
  readonly errors: ReadonlyArray<OutputProblem>
}

/** The caller aborted the run. */
export interface Aborted extends ReasonParts<"Aborted"> {
  /** Where the call came too late: it was closed, or aborted, before. */
  readonly closed?: "agent" | "session"
  readonly code: "aborted"
  readonly category: "aborted"
  readonly retryable: false
}

/** The state of the run when a time limit was reached. */
export type WatchState = "startup" | "idle" | "tool" | "approval" | "total"

/** The cause of an end, as far as the process itself gave it. */
export interface CauseParts {
  /** The lines of stderr that name the cause, at most 300 characters. */
  readonly stderr: string
  /** Another possible cause. */
  readonly hint?: string
}

/** A time limit was reached. */
export interface TimedOut extends ReasonParts<"TimedOut">, Partial<CauseParts> {
  /** `timeout_` and the state. */
  readonly code: `timeout_${WatchState}`
  readonly category: "timeout"
  readonly retryable: false
  /** What the run was doing. */
  readonly state: WatchState
  /** The limit. */
  readonly budgetMs: number
}

/** The CLI itself says that the run failed. */
export interface AgentFailed extends ReasonParts<"AgentFailed"> {
  /** The CLI's own text in full, which may be a provider's page or JSON. `message` is its readable part. */
  readonly detail: string
  /** Time after which a retry makes sense, where it is known. */
  readonly retryAfterMs?: number
}

/** The process ended with an exit code other than 0, and the CLI reported no failure. */
export interface Exited extends ReasonParts<"Exited">, CauseParts {
  readonly code: "exit_code"
  /** Between 1 and 255. */
  readonly exitCode: number
}

/** The process was ended by a signal that this library did not send. */
export interface Killed extends ReasonParts<"Killed">, CauseParts {
  readonly code: "signal"
  readonly category: "crash"
  readonly retryable: false
  /** Its name, such as `SIGSEGV`. */
  readonly signal: string
}

/** The process, or its recording, ended without an error and without a result. */
export interface NoResult extends ReasonParts<"NoResult">, CauseParts {
  readonly code: "no_result"
  readonly category: "protocol"
  readonly retryable: false
}

/** Another process, run or live session uses the session or the conversation, and did not end in time; nothing was started. */
export interface SessionBusy extends ReasonParts<"SessionBusy"> {
  readonly code: "session_busy"
  readonly category: "busy"
  readonly retryable: true
  /** What is used: a session of the CLI, or a conversation. */
  readonly what: "session" | "conversation"
  /** The CLI's id of the session, or the conversation. */
  readonly subject: string
  /** Who uses it, if that is known. */
  readonly holder?: SessionHolder
  /** How long this run waited, in ms. */
  readonly waitedMs: number
}

/**
 * The session belongs to another working directory, in which alone its CLI can go on with it, or its files are at another
 * home; nothing was started.
 */
export interface SessionElsewhere extends ReasonParts<"SessionElsewhere"> {
  readonly code: "session_elsewhere"
  readonly category: "invalid_request"
  readonly retryable: false
  /** The CLI's id of the session. */
  readonly sessionId: string
  /** Its directory. */
  readonly directory: string
  /** The directory of the run. */
  readonly asked: string
  /** The home that has its files, by its name in the cluster; absent: this one. */
  readonly home?: string
}

/** The id of a turn was used before, for another prompt; nothing was started. */
export interface TurnMismatch extends ReasonParts<"TurnMismatch"> {
  readonly code: "turn_mismatch"
  readonly category: "invalid_request"
  readonly retryable: false
  /** The id of the turn. */
  readonly turnId: string
}

/** The store cannot be used now; nothing was started. */
export interface StoreUnavailable extends ReasonParts<"StoreUnavailable"> {
  readonly code: "store_unavailable"
  readonly category: "network"
  readonly retryable: true
  /** Why, for people. */
  readonly problem: string
}

/** A budget has no room for the run: it was not started, or, where the budget says `stop`, it was stopped. */
export interface BudgetExceeded extends ReasonParts<"BudgetExceeded"> {
  readonly code: "budget_exceeded"
  readonly category: "billing"
  readonly retryable: false
  /** Its name. */
  readonly budget: string
  /** The unit of all amounts. */
  readonly unit: BudgetUnit
  /** The most that may be spent. */
  readonly limit: number
  /** What other runs have spent. */
  readonly spent: number
  /** What other runs, which have not ended, may still spend. */
  readonly reserved: number
  /** What this run needs. */
  readonly asked: number
  /** When it is free again, in ms since 1970; undefined where it never is by itself. */
  readonly freeAt?: number
}

/** The host of the turn died after its CLI was started: what the turn has done is not known. */
export interface TurnInterrupted extends ReasonParts<"TurnInterrupted"> {
  readonly code: "turn_interrupted"
  readonly category: "crash"
  readonly retryable: false
  /** The id of the turn. */
  readonly turnId: string
}

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

/** Why a run ended. Each failure is one reason of `AgentError`, in snake case. */
export type RunReason =
  | "completed"
  | "not_installed"
  | "spawn_failed"
  | "invalid_params"
  | "unsupported_option"
  | "attachment_refused"
  | "command_line_too_long"
  | "settings_unreadable"
  | "limit_reached"
  | "refused"
  | "session_busy"
  | "session_elsewhere"
  | "turn_mismatch"
  | "store_unavailable"
  | "budget_exceeded"
  | "billing_mismatch"
  | "permission_mode_mismatch"
  | "session_changed"
  | "schema_not_met"
  | "aborted"
  | "timed_out"
  | "agent_failed"
  | "exited"
  | "killed"
  | "no_result"
  | "turn_interrupted"
