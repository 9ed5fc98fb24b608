/** Families of errors, for those who decide by the sort of an error and not by its code. */
import { Schema } from "effect"

/** The family an error belongs to, the same for every CLI. */
export const ErrorCategory = Schema.Literals([
  "auth",
  "billing",
  "rate_limit",
  "overloaded",
  "context_overflow",
  "invalid_request",
  "network",
  "not_installed",
  "spawn",
  "timeout",
  "aborted",
  "permission",
  "session_not_found",
  "protocol",
  "crash",
  "other"
])
export type ErrorCategory = typeof ErrorCategory.Type
