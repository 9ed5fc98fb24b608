/** Reasons why a run never started. Nothing of it is left, and the user's files are as they were. */
import { Schema } from "effect"

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

/** Words of the system for what passes without anybody's doing. */
const passing: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])

/** The operating system refused to start the process. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  command: Schema.String,
  problem: Schema.String,
  /** The system's own word, such as `EACCES`, where it gave one. */
  errno: Schema.optionalKey(Schema.String)
}) {
  readonly code = "spawn_failed"
  readonly category = "spawn"
  get retryable() {
    return this.errno !== undefined && passing.has(this.errno)
  }
  override get message() {
    return `"${this.command}" could not be started: ${this.problem}`
  }
}

/** A parameter or option of the run is wrong; nothing was started. */
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

/** The CLI has no way to do what an option asks; nothing was started. */
export class UnsupportedOption extends Schema.TaggedError<UnsupportedOption>()("UnsupportedOption", {
  option: Schema.String,
  cli: Schema.String
}) {
  readonly code = "unsupported_option"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `${this.cli} has no ${this.option}`
  }
}

/** An option is too large to be handed to the CLI; nothing was started. */
export class CommandLineTooLong extends Schema.TaggedError<CommandLineTooLong>()("CommandLineTooLong", {
  option: Schema.String,
  bytes: Schema.Int,
  limitBytes: Schema.Int
}) {
  readonly code = "command_line_too_long"
  readonly category = "invalid_request"
  readonly retryable = false
  override get message() {
    return `${this.option} has ${this.bytes} bytes; at most ${this.limitBytes} can be handed over`
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

/** What a run waited for that was not to start yet. */
export const StartLimit = Schema.Literals(["session", "perCli", "total", "stagger", "freeMemoryBytes"])
export type StartLimit = typeof StartLimit.Type

/** The run waited for its start as long as `limits.maxWait` allows; nothing was started. */
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
