/** Failure reasons of runs that never started. Nothing of them is left, and the user's files are unchanged. */

import { Schema } from "effect"
import type * as Types from "./Reasons.ts"
import { budgetAmount, isoTime } from "./text/amounts.ts"

/** The program of the CLI was not found. */
export class NotInstalled extends Schema.TaggedError<NotInstalled>()("NotInstalled", {
  command: Schema.String,
  install: Schema.String,
  signIn: Schema.String
}) {
  readonly code = "not_installed"
  readonly category = "not_installed"
  readonly retryable = false
  override get message() {
    return `"${this.command}" was not found. Install it: ${this.install}. Then sign in: ${this.signIn}`
  }
}

/** Codes of system errors that go away without a change by the user. */
const temporary: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])

/** The operating system refused to start the process. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  command: Schema.String,
  problem: Schema.String,
  /** The system's error code, such as `EACCES`, if there is one. */
  errno: Schema.optionalKey(Schema.String)
}) {
  readonly code = "spawn_failed"
  readonly category = "spawn"
  get retryable() {
    return this.errno !== undefined && temporary.has(this.errno)
  }
  override get message() {
    return `"${this.command}" could not be started: ${this.problem}`
  }
}

/** A parameter or option is invalid; the call had no effect. */
export class InvalidParams extends Schema.TaggedError<InvalidParams>()("InvalidParams", {
  option: Schema.String,
  problem: Schema.String
}) {
  readonly code = "invalid_params"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `${this.option}: ${this.problem}`
  }
}

/** The CLI does not support an option; the call had no effect. */
export class UnsupportedOption extends Schema.TaggedError<UnsupportedOption>()("UnsupportedOption", {
  option: Schema.String,
  cli: Schema.String
}) {
  readonly code = "unsupported_option"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `${this.cli} does not support ${this.option}`
  }
}

/** An attachment cannot be read, is not what it is said to be, is too large, or is none that the CLI takes. */
export class AttachmentRefused extends Schema.TaggedError<AttachmentRefused>()("AttachmentRefused", {
  /** Its name. */
  attachment: Schema.String,
  /** The problem and the cure, to follow the name. */
  problem: Schema.String
}) {
  readonly code = "attachment_refused"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `The attachment ${JSON.stringify(this.attachment)} ${this.problem}`
  }
}

/** An option is too long for the command line; nothing was started. */
export class CommandLineTooLong extends Schema.TaggedError<CommandLineTooLong>()("CommandLineTooLong", {
  option: Schema.String,
  bytes: Schema.Int,
  limitBytes: Schema.Int
}) {
  readonly code = "command_line_too_long"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `${this.option} has ${this.bytes} bytes; the command line takes at most ${this.limitBytes}`
  }
}

/** A settings file of the user cannot be extended for the run; it is untouched, and nothing was started. */
export class SettingsUnreadable extends Schema.TaggedError<SettingsUnreadable>()("SettingsUnreadable", {
  file: Schema.String,
  problem: Schema.String
}) {
  readonly code = "settings_unreadable"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `${this.file} ${this.problem}`
  }
}

/** The limit that a run waited for. */
export const StartLimit = Schema.Literals(["session", "perCli", "total", "stagger", "freeMemoryBytes"])
export type StartLimit = Types.StartLimit

/** The run waited for its start longer than `limits.maxWait`; nothing was started. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  limit: StartLimit,
  problem: Schema.String,
  maxWaitMs: Schema.Finite
}) {
  readonly code = "limit_reached"
  readonly category = "spawn"
  readonly retryable = true
  override get message() {
    return `The run could not start within ${this.maxWaitMs / 1000} s (limits.maxWait): ${this.problem}`
  }
}

/** A gate of the application did not let the run, session or turn go on; one that fails itself refuses, too. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  /** Its name. */
  gate: Schema.String,
  /** Why, for people. */
  problem: Schema.String,
  /** The same may be let in later. */
  retryable: Schema.Boolean
}) {
  readonly code = "refused"
  readonly category = "other"
  override get message() {
    return `Refused by ${this.gate}: ${this.problem}`
  }
}

const held = (since: string, holder: Types.SessionBusy["holder"]) =>
  holder === undefined ? since : `${since} by process ${holder.pid} on ${holder.host}`

/** Another process, run or live session uses the session or the conversation, and did not end in time; nothing was started. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {
  what: Schema.Literals(["session", "conversation"]),
  subject: Schema.String,
  holder: Schema.optionalKey(
    Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.Finite, runId: Schema.String })
  ),
  waitedMs: Schema.Finite
}) {
  readonly code = "session_busy"
  readonly category = "busy"
  readonly retryable = true
  override get message() {
    const waited = this.waitedMs === 0 ? "" : `; waited ${this.waitedMs / 1000} s`
    return `${held(`The ${this.what} ${JSON.stringify(this.subject)} is used`, this.holder)}${waited}`
  }
}

/**
 * The session belongs to another working directory, in which alone its CLI can go on with it, or its files are at another
 * home; nothing was started.
 */
export class SessionElsewhere extends Schema.TaggedError<SessionElsewhere>()("SessionElsewhere", {
  sessionId: Schema.String,
  directory: Schema.String,
  asked: Schema.String,
  home: Schema.optionalKey(Schema.String)
}) {
  readonly code = "session_elsewhere"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    if (this.home !== undefined)
      return `The session ${JSON.stringify(this.sessionId)} is at the home ${JSON.stringify(this.home)}, in ${JSON.stringify(this.directory)}: its files are not here`
    return `The session ${JSON.stringify(this.sessionId)} belongs to ${JSON.stringify(this.directory)}, not to ${JSON.stringify(this.asked)}`
  }
}

/** The id of a turn was used before, for another prompt; nothing was started. */
export class TurnMismatch extends Schema.TaggedError<TurnMismatch>()("TurnMismatch", { turnId: Schema.String }) {
  readonly code = "turn_mismatch"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `The turn ${JSON.stringify(this.turnId)} was asked with another prompt before`
  }
}

/** The store cannot be used now; nothing was started. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  problem: Schema.String
}) {
  readonly code = "store_unavailable"
  readonly category = "network"
  readonly retryable = true
  override get message() {
    return `The store cannot be used: ${this.problem}`
  }
}

/** A budget has no room for the run: it was not started, or, where the budget says `stop`, it was stopped. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  budget: Schema.String,
  unit: Schema.Literals(["usd", "tokens", "turns"]),
  limit: Schema.Finite,
  spent: Schema.Finite,
  reserved: Schema.Finite,
  asked: Schema.Finite,
  freeAt: Schema.optionalKey(Schema.Finite)
}) {
  readonly code = "budget_exceeded"
  readonly category = "billing"
  readonly retryable = false
  override get message() {
    const { unit, freeAt } = this
    const at = freeAt === undefined ? undefined : isoTime(freeAt)
    const free = at === undefined ? "" : `; free again at ${at}`
    return `The budget ${JSON.stringify(this.budget)} has no room: ${budgetAmount(unit, this.spent)} of ${budgetAmount(unit, this.limit)} spent, ${budgetAmount(unit, this.reserved)} reserved, and this run needs ${budgetAmount(unit, this.asked)}${free}`
  }
}
