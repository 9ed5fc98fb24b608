/**
 * Gemini CLI's output for a failing model API (0.61.0): mostly the API's own JSON inside a text. It exits with the
 * lowest eight bits of the HTTP status.
 */
import type { ErrorStep, FailureKind, Fields } from "../Steps.ts"

interface ApiFailure {
  readonly code: number
  readonly status?: string
  readonly message: string
  readonly reason?: string
}

const apiFailures: { readonly [Kind in FailureKind]?: ApiFailure } = {
  auth: { code: 400, status: "INVALID_ARGUMENT", message: "API key not valid.", reason: "API_KEY_INVALID" },
  billing: { code: 402, message: "Payment required." },
  permission: { code: 403, status: "PERMISSION_DENIED", message: "Permission denied." },
  rate_limit: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted." },
  overloaded: { code: 529, message: "overloaded" },
  context_overflow: {
    code: 400,
    status: "INVALID_ARGUMENT",
    message: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
  },
  invalid_request: { code: 400, status: "INVALID_ARGUMENT", message: "Request contains an invalid argument." }
}

const tooMany =
  "[API Error: Too many requests]\nPlease wait and try again later. To increase your limits, request a quota increase " +
  "through AI Studio, or switch to another /auth method"

interface GeminiFailure {
  readonly problem: Fields
  readonly exitCode: number
}

const failure = (message: string, exitCode: number): GeminiFailure => ({
  problem: { type: "unknown", message },
  exitCode
})

const detailsOf = ({ reason }: ApiFailure, retryAfterMs: number | undefined) => {
  const details = [
    ...(reason === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }]),
    ...(retryAfterMs === undefined
      ? []
      : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterMs / 1000}s` }])
  ]
  return details.length === 0 ? {} : { details }
}

export const failureOf = (
  { kind, message, retryAfterMs }: ErrorStep,
  refuse: (problem: string) => never
): GeminiFailure => {
  if (kind === "other") return failure(message ?? "something went wrong", 1)
  if (kind === "network") {
    return message === undefined ? failure("[API Error: terminated]", 1) : refuse("it has one message for network")
  }
  if (kind === "rate_limit" && message === undefined && retryAfterMs === undefined) return failure(tooMany, 429 % 256)
  const known = apiFailures[kind]
  if (known === undefined) return refuse(`it knows no ${JSON.stringify(kind)}`)
  if (kind === "context_overflow" && message !== undefined) refuse("it has one message for context_overflow")
  const { reason: _, ...api } = known
  const error = { ...api, ...(message === undefined ? {} : { message }), ...detailsOf(known, retryAfterMs) }
  return failure(`[API Error: ${JSON.stringify({ error })}]`, known.code % 256)
}
