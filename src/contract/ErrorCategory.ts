/** The Schema of the categories of errors. */
import { Schema } from "effect"
import type * as Types from "./types/ErrorCategory.ts"

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
  "busy",
  "other"
])
export type ErrorCategory = Types.ErrorCategory
