/**
 * Why a run failed: one error type with a closed union of reasons. Facts are fields and messages are made of them.
 * Prompts and secrets never enter a message; of stderr there is an excerpt where the process itself gave no cause.
 */
import { Schema } from "effect"
import { AgentRunResult, type RunReason } from "./AgentRunResult.ts"
import { Aborted, AgentFailed, Exited, Killed, NoResult, TimedOut } from "./failures.ts"
import { BillingMismatch, PermissionModeMismatch, SchemaNotMet, SessionChanged } from "./mismatches.ts"
import {
  CommandLineTooLong,
  InvalidParams,
  LimitReached,
  NotInstalled,
  SettingsUnreadable,
  SpawnFailed,
  UnsupportedOption
} from "./refusals.ts"

export * from "./failures.ts"
export * from "./mismatches.ts"
export * from "./refusals.ts"

export const FailureReason = Schema.Union([
  NotInstalled,
  SpawnFailed,
  InvalidParams,
  UnsupportedOption,
  CommandLineTooLong,
  SettingsUnreadable,
  LimitReached,
  BillingMismatch,
  PermissionModeMismatch,
  SessionChanged,
  SchemaNotMet,
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
  LimitReached: "limit_reached",
  BillingMismatch: "billing_mismatch",
  PermissionModeMismatch: "permission_mode_mismatch",
  SessionChanged: "session_changed",
  SchemaNotMet: "schema_not_met",
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
  result: AgentRunResult,
  /** Text, a thought or a tool call had come: to do it again is to do some of it twice. */
  hadOutput: Schema.Boolean
}) {
  override get message() {
    return `${this.cli}: ${this.reason.message}`
  }
}
