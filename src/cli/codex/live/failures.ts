/** The error of a turn → a reason, by its word or status; else by its message, as for `exec` (0.169.0). */
import { Predicate } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import { classify } from "../../../contract/errors/classify.ts"
import { at, entryOf } from "../../jsonFields.ts"
import type { Output } from "../../Live.ts"
import { failureOf, type Limit, retryTimes } from "../run/failures.ts"
import { snake, type TurnError } from "./wire.ts"

/** Codex's words → those of the shared table, and of `exec`. */
const codes: Readonly<Record<string, string>> = {
  contextWindowExceeded: "context_length_exceeded",
  rateLimitExceeded: "rate_limit",
  serverOverloaded: "overloaded",
  modelNotFound: "model_not_found",
  internalServerError: "server_error",
  unauthorized: "authentication_failed",
  badRequest: "invalid_request",
  httpConnectionFailed: "connection_failed",
  responseStreamConnectionFailed: "connection_failed",
  responseStreamDisconnected: "stream_disconnected",
  responseTooManyFailedAttempts: "connection_failed"
}

/** Each has several causes, which only the message distinguishes. */
const vague: ReadonlySet<string> = new Set(["other", "usageLimitExceeded"])

const statusOf = (facts: unknown) => {
  const status = at(facts, "httpStatusCode")
  return Predicate.isNumber(status) ? status : undefined
}

interface Info {
  readonly name: string
  readonly status: number | undefined
}

const infoOf = (info: unknown): Info | undefined => {
  if (Predicate.isString(info)) return { name: info, status: undefined }
  if (!Predicate.isObject(info)) return undefined
  const [named] = Object.entries(info)
  return named === undefined ? undefined : { name: named[0], status: statusOf(named[1]) }
}

/** The value of `{ usageLimitExceeded: { … } }`; else the error itself. */
const limitOf = (error: TurnError | null | undefined): Limit =>
  at(error, "codexErrorInfo", "usageLimitExceeded") ?? error

export const turnFailure = (error: TurnError | null | undefined): AgentFailed => {
  const message = error?.message ?? ""
  const limit = limitOf(error)
  const byMessage = failureOf(message, limit)
  const times = retryTimes(limit, message)
  const info = infoOf(error?.codexErrorInfo)
  if (info === undefined || vague.has(info.name)) {
    const isUsageLimit = info?.name === "usageLimitExceeded" && byMessage.category === "other"
    return isUsageLimit
      ? new AgentFailed({ code: "usage_limit_reached", category: "rate_limit", detail: message, ...times })
      : byMessage
  }
  const { name, status } = info
  const word = entryOf(codes, name)
  const code = status === undefined ? (word ?? snake(name)) : `http_${status}`
  const category = classify({ codes: [status === undefined ? word : undefined], status, message })
  return new AgentFailed({ code, category, detail: byMessage.detail, ...times })
}

/** A refused request; the number of its JSON-RPC error has no further meaning. */
export const refusalOf = (code: string, message: string): AgentFailed =>
  new AgentFailed({ code, category: classify({ message, otherwise: "protocol" }), detail: message })

/** A request that the session needs was refused. */
export const refusal = (code: string, message: string): Output => ({ _tag: "Failed", reason: refusalOf(code, message) })

export const protocolFailure = (code: string, detail: string): Output => ({
  _tag: "Failed",
  reason: new AgentFailed({ code, category: "protocol", detail })
})
