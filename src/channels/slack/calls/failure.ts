/** Failures of calls and their meaning for delivery; pure. Slack's error words alone are kept of its answers. */
import { Predicate } from "effect"
import type { SendReason } from "../../../bridge/messages/SendError.ts"
import { type Answer, type CallFailure as HttpFailure, unknown } from "../../kit/call.ts"

export type CallFailure =
  | HttpFailure
  | { readonly _tag: "TooFast"; readonly retryAfterMs: number }
  /** Slack answered that nothing was done. `needed`: the missing scope. */
  | { readonly _tag: "Refused"; readonly error: string; readonly needed?: string }

/** Applies if Slack names no time. */
const usualRetryMs = 5_000
const longestRetryMs = 3_600_000

const retryAfterMs = (headers: Headers): number => {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return seconds >= 0 ? Math.min(Math.ceil(seconds * 1_000), longestRetryMs) : usualRetryMs
}

const wordAt = (json: unknown, name: string): string | undefined => {
  const word = Predicate.hasProperty(json, name) ? json[name] : undefined
  return typeof word === "string" && /^[a-z0-9_:,.]{1,200}$/i.test(word) ? word : undefined
}

const unsettled: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org"
])

/** The failure that an answer tells of; undefined for a success. */
export const failureOf = ({ status, headers, json }: Answer): CallFailure | undefined => {
  if (status === 429) return { _tag: "TooFast", retryAfterMs: retryAfterMs(headers) }
  if (status >= 500 || !Predicate.isObject(json) || !Predicate.hasProperty(json, "ok")) return unknown
  if (json.ok === true) return undefined
  const error = wordAt(json, "error") ?? "unknown_error"
  if (error === "ratelimited" || error === "rate_limited")
    return { _tag: "TooFast", retryAfterMs: retryAfterMs(headers) }
  if (unsettled.has(error)) return unknown
  const needed = wordAt(json, "needed")
  return { _tag: "Refused", error, ...(needed === undefined ? {} : { needed }) }
}

const tokenErrors: ReadonlySet<string> = new Set([
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_authed"
])

/** True if the token is invalid or was revoked. */
export const isTokenRefused = (failure: CallFailure): boolean =>
  failure._tag === "Refused" && tokenErrors.has(failure.error)

export const isRefusedWith = (failure: CallFailure, error: string): boolean =>
  failure._tag === "Refused" && failure.error === error

const gone = (what: "chat" | "thread" | "message"): SendReason => ({ _tag: "Gone", what })

const reasons: ReadonlyMap<string, SendReason> = new Map([
  ...["channel_not_found", "is_archived", "not_in_channel"].map((error) => [error, gone("chat")] as const),
  ["thread_not_found", gone("thread")] as const,
  ...["message_not_found", "cant_update_message", "edit_window_closed", "file_not_found", "file_deleted"].map(
    (error) => [error, gone("message")] as const
  )
])

export const describe = ({ error, needed }: Extract<CallFailure, { readonly _tag: "Refused" }>): string =>
  error === "missing_scope" && needed !== undefined
    ? `the app lacks the scope ${needed}: add it, and install the app again`
    : error

/** `scope`: the reach of a rate limit. */
export const reasonOf = (failure: CallFailure, scope: "chat" | "allEdits" | "account" = "account"): SendReason => {
  switch (failure._tag) {
    case "TooFast":
      return { _tag: "TooFast", retryAfterMs: failure.retryAfterMs, scope }
    case "Refused":
      // The channel ends; what it could not send is sent with the next token.
      if (isTokenRefused(failure)) return { _tag: "Unreachable" }
      return reasons.get(failure.error) ?? { _tag: "Refused", description: describe(failure) }
    default:
      return failure
  }
}
