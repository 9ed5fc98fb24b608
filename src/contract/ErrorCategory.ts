/** Categories of errors, for decisions that do not depend on the exact code. */
import { Schema } from "effect"
import { schemaOf } from "./schemaOf.ts"

/** The category of an error, the same for every CLI. */
export type ErrorCategory =
  | "auth"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "context_overflow"
  | "invalid_request"
  | "network"
  | "not_installed"
  | "spawn"
  | "timeout"
  | "aborted"
  | "permission"
  | "session_not_found"
  | "protocol"
  | "crash"
  | "busy"
  | "other"

export const ErrorCategory = schemaOf<ErrorCategory>()(
  Schema.Literals([
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
)
