/** Failures of calls of the Web API, and their meaning for delivery; pure. Slack has one word for each, with status 200. */
import { Option, Schema } from "effect"
import type { SendReason } from "../../../bridge/messages/SendError.ts"
import type { Answer, CallFailure as Unanswered } from "../../kit/call.ts"

export type CallFailure =
  /** Slack answered that nothing was done. `needed`: the missing scopes. */
  | { readonly _tag: "Refused"; readonly error: string; readonly needed?: string; readonly retryAfterMs?: number }
  | Unanswered

const unknown: CallFailure = { _tag: "Unknown" }

const readAnswer = Schema.decodeUnknownOption(
  Schema.Struct({
    ok: Schema.Boolean,
    error: Schema.optionalKey(Schema.NullOr(Schema.String)),
    needed: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** Slack's words are like this; anything else could be a secret that was sent back. */
const wordOf = (text: string | null | undefined, form: RegExp): string | undefined =>
  text && form.test(text) ? text : undefined

const tooFast: ReadonlySet<string> = new Set(["ratelimited", "rate_limited"])
/** Happened on Slack's side, perhaps after the message was taken. */
const unclear: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout"
])

const retryAfterOf = (headers: Headers): { readonly retryAfterMs?: number } => {
  const seconds = headers.get("retry-after") ?? ""
  return /^\d{1,5}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1_000 } : {}
}

/** Undefined if the call was done. */
export const failureOf = ({ status, headers, json }: Answer): CallFailure | undefined => {
  if (status === 429) return { _tag: "Refused", error: "ratelimited", ...retryAfterOf(headers) }
  if (status >= 500) return unknown
  const answer = Option.getOrUndefined(readAnswer(json))
  if (answer === undefined) return unknown
  if (answer.ok) return status >= 200 && status < 300 ? undefined : unknown
  const error = wordOf(answer.error, /^[a-z0-9_]{1,80}$/) ?? "unknown_error"
  if (unclear.has(error)) return unknown
  const needed = wordOf(answer.needed, /^[a-z0-9_.:,]{1,300}$/)
  return { _tag: "Refused", error, ...(needed === undefined ? {} : { needed }), ...retryAfterOf(headers) }
}

/** Of addresses that are not methods of the Web API. */
export const failureOfStatus = (status: number): CallFailure | undefined => {
  if (status >= 200 && status < 300) return undefined
  return status >= 400 && status < 500 && status !== 408 && status !== 429
    ? { _tag: "Refused", error: `status ${status}` }
    : unknown
}

const ofToken: ReadonlySet<string> = new Set([
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_authed"
])

export const isTokenRefused = (failure: CallFailure): boolean =>
  failure._tag === "Refused" && ofToken.has(failure.error)

export const isMissingScope = (failure: CallFailure): boolean =>
  failure._tag === "Refused" && failure.error === "missing_scope"

/** Slack does not take the marks, or not all of the text. */
export const isOfForm = (failure: CallFailure): boolean =>
  failure._tag === "Refused" && /^(?:invalid_blocks|invalid_blocks_format|msg_blocks_too_long)$/.test(failure.error)

export const addScope = (needed: string): string =>
  `Add ${needed} in the app (OAuth & Permissions → Bot Token Scopes), and install the app again.`

type Target = Extract<SendReason, { _tag: "Gone" }>["what"]

const gone: ReadonlyMap<string, Target> = new Map([
  ["channel_not_found", "chat"],
  ["is_archived", "chat"],
  ["not_in_channel", "chat"],
  ["user_not_found", "user"],
  ["thread_not_found", "thread"],
  ["message_not_found", "message"],
  ["cant_update_message", "message"],
  ["cant_delete_message", "message"],
  ["edit_window_closed", "message"]
])

/** Where a refusal is a mistake in the app's settings, their fix. */
const fixes: ReadonlyMap<string, string> = new Map([
  ["messages_tab_disabled", "turn the app's Messages tab on (App Home)"],
  ["not_allowed_token_type", "one token stands in the other's place"]
])

const wordsOf = (error: string, needed: string | undefined): string => {
  if (error === "missing_scope") return `the app lacks ${needed ?? "a scope"}`
  const fix = fixes.get(error)
  return fix === undefined ? error : `${error}: ${fix}`
}

/** For people. */
export const descriptionOf = (failure: CallFailure): string =>
  failure._tag === "Refused" ? wordsOf(failure.error, failure.needed) : "it was not reached"

/** The limit of `chat.update` is the workspace's, that of `chat.postMessage` the channel's. */
const scopeOf = (method: string) =>
  method === "chat.update" ? "allEdits" : method === "chat.postMessage" ? "chat" : "account"

/** Without a word of Slack on how long. */
const pauseMs = 10_000

export const reasonOf = (failure: CallFailure, method: string): SendReason => {
  if (failure._tag !== "Refused") return failure
  const { error, retryAfterMs = pauseMs } = failure
  if (tooFast.has(error)) return { _tag: "TooFast", retryAfterMs, scope: scopeOf(method) }
  // The channel ends; what it could not send is sent with the next token.
  if (isTokenRefused(failure)) return { _tag: "Unreachable" }
  const what = gone.get(error)
  return what === undefined ? { _tag: "Refused", description: descriptionOf(failure) } : { _tag: "Gone", what }
}
