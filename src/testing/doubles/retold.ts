/**
 * An `error` event, and the result behind it → the reason that they tell; pure. The way back from `failure.ts`: the facts
 * of a reason are looked for in the event's message, and 0 or empty where it does not have them.
 */

import type { CliFacts } from "../../cli/Cli.ts"
import {
  Aborted, AgentFailed, BillingMismatch, CommandLineTooLong, Exited, type FailureReason, InvalidParams, Killed,
  LimitReached, NoResult, NotInstalled, PermissionModeMismatch, runReason, SchemaNotMet, SessionChanged, SettingsUnreadable, SpawnFailed, TimedOut, UnsupportedOption
} from "../../contract/AgentError.ts" // biome-ignore format: one list
import type { ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult, RunReason } from "../../contract/AgentRunResult.ts"
import { errorEvent } from "../../engine/failure.ts"

/** The CLI's own words belong to `AgentFailed`; those of the other reasons are fixed. */
const reasonsByCode: Readonly<Record<string, RunReason>> = {
  exit_code: "exited",
  signal: "killed",
  ...Object.fromEntries(Object.values(runReason).map((reason) => [reason, reason]))
}

const told = (error: ErrorEvent): RunReason => {
  const state = error.code.startsWith("timeout_") ? "timed_out" : undefined
  return state ?? (Object.hasOwn(reasonsByCode, error.code) ? reasonsByCode[error.code] : undefined) ?? "agent_failed"
}

const states = ["startup", "idle", "tool", "approval", "total"] as const

/** `option: problem`, as `InvalidParams` says it. */
const split = (message: string, separator: string): readonly [string, string] => {
  const at = message.indexOf(separator)
  return at === -1 ? ["params", message] : [message.slice(0, at), message.slice(at + separator.length)]
}

/** The first number in a text that matches, or 0. */
const numberIn = (message: string, pattern: RegExp): number => Number(pattern.exec(message)?.[1] ?? 0)

const nothing: ErrorEvent = { type: "error", message: "", code: "unknown", category: "other", retryable: false }

type Facts = Pick<CliFacts, "id" | "command" | "install" | "signIn">

export const retold = (
  cli: Facts,
  error: ErrorEvent = nothing,
  result?: AgentRunResult,
  sessionId = ""
): FailureReason => {
  const { message, code, category, retryAfterMs } = error
  const stderr = result?.stderrTail ?? ""
  const exit = result?.exit
  const [option, problem] = split(message, ": ")
  switch (result?.reason ?? told(error)) {
    case "aborted":
      return new Aborted()
    case "timed_out":
      return new TimedOut({
        state: states.find((state) => code === `timeout_${state}`) ?? "total",
        budgetMs: Math.round(numberIn(message, /([\d.]+) s\b/) * 1000)
      })
    case "exited":
      return new Exited({ exitCode: exit !== undefined && "code" in exit ? exit.code : 1, category, stderr })
    case "killed":
      return new Killed({ signal: exit !== undefined && "signal" in exit ? exit.signal : "SIGKILL", stderr })
    case "no_result":
      return new NoResult({ stderr })
    case "not_installed":
      return new NotInstalled(cli)
    case "spawn_failed":
      // By the system's own word alone a refusal is one that passes.
      return new SpawnFailed({ command: cli.command, problem, ...(error.retryable ? { errno: "EAGAIN" } : {}) })
    case "invalid_params":
      return new InvalidParams({ option, problem })
    case "unsupported_option":
      return new UnsupportedOption({ option: message.split(" has no ")[1] ?? message, cli: cli.id })
    case "command_line_too_long":
      return new CommandLineTooLong({
        option: message.split(" ")[0] ?? "",
        bytes: numberIn(message, / has (\d+) bytes/),
        limitBytes: numberIn(message, /at most (\d+)/)
      })
    case "settings_unreadable":
      return new SettingsUnreadable({ file: split(message, " ")[0], problem: split(message, " ")[1] })
    case "limit_reached":
      return new LimitReached({
        limit: "total",
        problem,
        maxWaitMs: Math.round(numberIn(message, /within ([\d.]+) s\b/) * 1000)
      })
    case "billing_mismatch":
      return new BillingMismatch({
        policy: message.includes('"api-key", but') ? "api-key" : "subscription",
        reported: /reports "(.*)" as/.exec(message)?.[1] ?? ""
      })
    case "permission_mode_mismatch":
      return new PermissionModeMismatch({ asked: "", reported: "" })
    case "session_changed":
      return new SessionChanged({ asked: result?.sessionId ?? sessionId, got: "" })
    case "schema_not_met":
      return new SchemaNotMet({ problem })
    default:
      return new AgentFailed({
        code,
        category,
        detail: message,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs })
      })
  }
}

/** What the event says and its reason cannot: both would be heard, by the two methods of one agent. */
export const contradictionOf = (event: ErrorEvent, reason: FailureReason): string | undefined => {
  const meant = errorEvent(reason)
  for (const name of ["code", "category", "retryable", "retryAfterMs"] as const) {
    if (event[name] === meant[name]) continue
    return `${name} is ${JSON.stringify(event[name])}, but ${JSON.stringify(meant[name])} for ${reason._tag} of category "${meant.category}"; give that`
  }
  return undefined
}
