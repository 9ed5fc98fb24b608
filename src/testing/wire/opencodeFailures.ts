/** OpenCode's output for a failing model API (1.18.33): one `error` line, with the HTTP status where there was one. */
import type { ErrorStep, FailureKind, Fields } from "../Steps.ts"

interface Known {
  readonly name: string
  readonly status?: number
  readonly message: string
  readonly isRetryable?: boolean
}

const known: Readonly<Record<FailureKind, Known>> = {
  auth: { name: "APIError", status: 401, message: "Invalid API key", isRetryable: false },
  billing: { name: "APIError", status: 402, message: "Payment required", isRetryable: false },
  permission: { name: "APIError", status: 403, message: "Permission denied", isRetryable: false },
  rate_limit: { name: "APIError", status: 429, message: "Too many requests", isRetryable: true },
  overloaded: { name: "APIError", status: 503, message: "Service unavailable", isRetryable: true },
  context_overflow: { name: "ContextOverflowError", message: "This model's maximum context length is 128000 tokens." },
  invalid_request: { name: "APIError", status: 400, message: "Bad request", isRetryable: false },
  network: {
    name: "APIError",
    message: "Unable to connect. Is the computer able to access the url?",
    isRetryable: true
  },
  other: { name: "UnknownError", message: "something went wrong" }
}

/** The only words by which a failed connection is told. */
const notConnected = "Cannot connect to API: "

export const failureOf = ({ kind, message, retryAfterMs }: ErrorStep, refuse: (problem: string) => never): Fields => {
  if (!Object.hasOwn(known, kind)) refuse(`it knows no ${JSON.stringify(kind)}`)
  const { name, status, message: usual, isRetryable } = known[kind]
  const headers = retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) }
  const data = {
    message: `${kind === "network" ? notConnected : ""}${message ?? usual}`,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(isRetryable === undefined ? {} : { isRetryable, responseHeaders: headers })
  }
  return { name, data }
}
