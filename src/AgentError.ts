/**
 * Why a run failed: one error type with a closed union of reasons. Facts are fields and messages are made of them.
 * Prompts, values of environment variables and stderr never enter a message.
 */
import { Schema } from "effect"
import { AgentRunResult, ErrorCategory, type RunReason } from "./AgentRunResult.ts"

const isTransient = (category: ErrorCategory) =>
  category === "rate_limit" || category === "overloaded" || category === "network"

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

/** The operating system refused to start the process. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  command: Schema.String,
  problem: Schema.String
}) {
  readonly code = "spawn_failed"
  readonly category = "spawn"
  readonly retryable = false
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

/** The CLI reports another way of paying than the `billing` policy demands; it was stopped before its first tool. */
export class BillingMismatch extends Schema.TaggedError<BillingMismatch>()("BillingMismatch", {
  policy: Schema.Literals(["subscription", "api-key"]),
  reported: Schema.String
}) {
  readonly code = "billing_mismatch"
  readonly category = "billing"
  readonly retryable = false
  override get message() {
    return `billing is "${this.policy}", but the CLI reports "${this.reported}" as the source of its credentials`
  }
}

/** The caller aborted the run. */
export class Aborted extends Schema.TaggedError<Aborted>()("Aborted", {}) {
  readonly code = "aborted"
  readonly category = "aborted"
  readonly retryable = false
  override get message() {
    return "The run was aborted"
  }
}

/** What the run was doing when a budget of the watchdog ran out. */
export const WatchState = Schema.Literals(["startup", "idle", "tool", "approval", "total"])
export type WatchState = typeof WatchState.Type

/** A budget of the watchdog ran out. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {
  state: WatchState,
  budgetMs: Schema.Finite
}) {
  get code() {
    return `timeout_${this.state}`
  }
  readonly category = "timeout"
  readonly retryable = false
  override get message() {
    const seconds = this.budgetMs / 1000
    return this.state === "total"
      ? `The run took longer than its budget of ${seconds} s`
      : `No line came for ${seconds} s, the budget of the state "${this.state}"`
  }
}

/** The CLI itself says that the run failed. */
export class AgentFailed extends Schema.TaggedError<AgentFailed>()("AgentFailed", {
  code: Schema.String,
  category: ErrorCategory,
  detail: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  get retryable() {
    return isTransient(this.category)
  }
  override get message() {
    return this.detail === "" ? `The agent failed: ${this.code}` : this.detail
  }
}

/** The process ended with an exit code other than 0, and the CLI had not told of a failure. */
export class Exited extends Schema.TaggedError<Exited>()("Exited", {
  exitCode: Schema.Int,
  category: ErrorCategory,
  stderr: Schema.String
}) {
  readonly code = "exit_code"
  get retryable() {
    return isTransient(this.category)
  }
  override get message() {
    return `The process ended with exit code ${this.exitCode}`
  }
}

/** The process was ended by a signal that did not come from here. */
export class Killed extends Schema.TaggedError<Killed>()("Killed", {
  signal: Schema.String,
  stderr: Schema.String
}) {
  readonly code = "signal"
  readonly category = "crash"
  readonly retryable = false
  override get message() {
    const guess = this.signal === "SIGKILL" ? "; the machine may be out of memory" : ""
    return `The process was ended by ${this.signal}${guess}`
  }
}

/** The process ended well, or its recording did, without saying how the run came out. */
export class NoResult extends Schema.TaggedError<NoResult>()("NoResult", {
  stderr: Schema.String
}) {
  readonly code = "no_result"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    return "The run ended without a result"
  }
}

export const FailureReason = Schema.Union([
  NotInstalled,
  SpawnFailed,
  InvalidParams,
  UnsupportedOption,
  CommandLineTooLong,
  SettingsUnreadable,
  BillingMismatch,
  Aborted,
  TimedOut,
  AgentFailed,
  Exited,
  Killed,
  NoResult
])
export type FailureReason = typeof FailureReason.Type

/** The `reason` of a result for each way to fail. */
export const runReason: { readonly [Tag in FailureReason["_tag"]]: RunReason } = {
  NotInstalled: "not_installed",
  SpawnFailed: "spawn_failed",
  InvalidParams: "invalid_params",
  UnsupportedOption: "unsupported_option",
  CommandLineTooLong: "command_line_too_long",
  SettingsUnreadable: "settings_unreadable",
  BillingMismatch: "billing_mismatch",
  Aborted: "aborted",
  TimedOut: "timed_out",
  AgentFailed: "agent_failed",
  Exited: "exited",
  Killed: "killed",
  NoResult: "no_result"
}

/** The one error of both doors. Match on `reason._tag`; `result` has what the run gave until then. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  cli: Schema.String,
  reason: FailureReason,
  result: AgentRunResult
}) {
  override get message() {
    return `${this.cli}: ${this.reason.message}`
  }
}
