/** Codex's output for a failing model API (0.169.0): one message, of which only fixed words show the kind. */
import type { FailureKind } from "../Steps.ts"

type MessageOf = (message: string | undefined) => string

export const messageOf: { readonly [Kind in FailureKind]?: MessageOf } = {
  auth: (message = "Incorrect API key provided.") => `unexpected status 401 Unauthorized: ${message}`,
  permission: (message = "Permission denied.") => `unexpected status 403 Forbidden: ${message}`,
  billing: (message = "Check your plan and billing details.") => `Quota exceeded. ${message}`,
  rate_limit: (message) =>
    message === undefined
      ? "exceeded retry limit, last status: 429 Too Many Requests"
      : `rate limit exceeded: ${message}`,
  overloaded: (message) =>
    message === undefined
      ? "Selected model is at capacity. Please try a different model."
      : `unexpected status 529 <unknown status code>: ${message}`,
  context_overflow: (message) =>
    message === undefined
      ? "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying."
      : JSON.stringify({ error: { message, type: "invalid_request_error", code: "context_length_exceeded" } }),
  invalid_request: (message = "The prompt is not good.") =>
    JSON.stringify({ error: { message, type: "invalid_request_error", code: "bad_param", param: null } }),
  network: (message = "error sending request") => `stream disconnected before completion: ${message}`,
  other: (message = "something went wrong") => message
}
