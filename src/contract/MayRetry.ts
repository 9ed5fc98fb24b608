/** Which failed runs can be tried again, with the same agent or another one; pure. */
import { Predicate } from "effect"
import type { AgentError } from "./AgentError.ts"
import type { ErrorCategory } from "./ErrorCategory.ts"
import type { FailureReason } from "./FailureReason.ts"

type Tag = FailureReason["_tag"]

/** Not signed in, or out of quota: problems of the account, which do not pass by themselves. */
const ofTheAccount: ReadonlySet<ErrorCategory> = new Set(["auth", "billing", "rate_limit"])

/** `byCategory`: if not signed in or out of quota. `no`: another agent would fail, too, or the caller has to decide. */
export const askAnother: { readonly [T in Tag]: "yes" | "no" | "byCategory" } = {
  NotInstalled: "yes",
  AgentFailed: "byCategory",
  Exited: "byCategory",
  SpawnFailed: "no",
  InvalidParams: "no",
  UnsupportedOption: "no",
  AttachmentRefused: "no",
  CommandLineTooLong: "no",
  SettingsUnreadable: "no",
  LimitReached: "no",
  Refused: "no",
  SessionBusy: "no",
  SessionElsewhere: "no",
  TurnMismatch: "no",
  StoreUnavailable: "no",
  BudgetExceeded: "no",
  BillingMismatch: "no",
  PermissionModeMismatch: "no",
  SessionChanged: "no",
  SchemaNotMet: "no",
  Aborted: "no",
  TimedOut: "no",
  Killed: "no",
  NoResult: "no",
  TurnInterrupted: "no"
}

/**
 * Whether another agent may be asked instead, because this one is not installed, not signed in or out of quota. Never
 * after output, so that nothing is done twice. (`mayRetry` is about the same agent.)
 */
export const mayFallBack = ({ reason, hadOutput }: Pick<AgentError, "reason" | "hadOutput">): boolean => {
  if (hadOutput) return false
  const verdict = askAnother[reason._tag]
  return verdict === "yes" || (verdict === "byCategory" && ofTheAccount.has(reason.category))
}

const isAgentError = (error: unknown): error is AgentError => Predicate.isTagged(error, "AgentError")

/** Whether the same run may succeed again. Never after output, a signal, an abort or a timeout, or for other errors. */
export const mayRetry = (error: unknown): boolean => isAgentError(error) && error.reason.retryable && !error.hadOutput
