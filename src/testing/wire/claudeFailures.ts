/** Claude Code's output for a failing model API (2.1.328): the words of its last two lines, by kind of failure. */
import type { FailureKind } from "../Steps.ts"

interface ClaudeFailureKind {
  /** The CLI's own word, in the synthetic `assistant` line. */
  readonly error: string
  readonly status?: number
  /** The API's word. */
  readonly type?: string
  readonly apiError?: string
  readonly terminal?: string
  readonly message: string
}

export interface ClaudeFailure {
  readonly kind: ClaudeFailureKind
  readonly words: string
  /** Seconds since 1970. */
  readonly resetsAt: number | undefined
}

export const failures: { readonly [Kind in FailureKind]?: ClaudeFailureKind } = {
  auth: {
    error: "authentication_failed",
    status: 401,
    type: "authentication_error",
    message: "Failed to authenticate. API Error: 401 invalid x-api-key"
  },
  billing: { error: "billing_error", status: 400, type: "invalid_request_error", message: "Credit balance is too low" },
  rate_limit: {
    error: "rate_limit",
    status: 429,
    type: "rate_limit_error",
    message: "API Error: Request rejected (429)"
  },
  overloaded: {
    error: "server_error",
    status: 529,
    type: "overloaded_error",
    message: "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary."
  },
  context_overflow: {
    error: "invalid_request",
    status: 400,
    type: "invalid_request_error",
    terminal: "prompt_too_long",
    message: "Prompt is too long"
  },
  invalid_request: {
    error: "unknown",
    status: 400,
    type: "invalid_request_error",
    message: "API Error: 400 messages: something is wrong"
  },
  network: {
    error: "server_error",
    apiError: "connection_failed",
    message: "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"
  },
  other: { error: "unknown", message: "API Error: something went wrong" }
}
