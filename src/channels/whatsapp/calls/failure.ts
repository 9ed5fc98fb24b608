/**
 * Failures of calls of the Graph API, and their meaning for delivery; pure. Meta asks to go by the code and the details of an
 * error, not by its titles.
 */
import { Option, Schema } from "effect"
import type { SendReason } from "../../../bridge/messages/SendError.ts"
import { withoutInvisible } from "../../../contract/text/harmless.ts"
import type { Answer } from "../../kit/call.ts"

export type CallFailure =
  /** WhatsApp answered that nothing was done. */
  | { readonly _tag: "Refused"; readonly code: number; readonly details: string; readonly retryAfterMs?: number }
  /** No byte was sent. */
  | { readonly _tag: "Unreachable" }
  | { readonly _tag: "Unknown" }

const unknown: CallFailure = { _tag: "Unknown" }

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** An error, in an answer and in a later report. */
export const WireError = Schema.Struct({
  code: Schema.Finite,
  title: text,
  message: text,
  error_data: Schema.optionalKey(Schema.NullOr(Schema.Struct({ details: text })))
})
export type WireError = typeof WireError.Type

const readError = Schema.decodeUnknownOption(Schema.Struct({ error: WireError }))

/** For people and logs. */
const most = 300

export const detailsOf = ({ code, title, message, error_data }: WireError): string =>
  withoutInvisible(error_data?.details || title || message || `error ${code}`).slice(0, most)

/** Happened on Meta's side, perhaps after the message was taken. */
const unclear: ReadonlySet<number> = new Set([1, 2, 131_000, 131_016, 133_004])

const retryAfterOf = (headers: Headers): { readonly retryAfterMs?: number } => {
  const seconds = headers.get("retry-after") ?? ""
  return /^\d{1,5}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1_000 } : {}
}

/** Undefined if the call was done. `hide` removes secrets. */
export const failureOf = (
  { status, headers, json }: Answer,
  hide: (text: string) => string
): CallFailure | undefined => {
  if (status >= 200 && status < 300 && json !== undefined) return undefined
  if (status < 400 || status >= 500) return unknown
  const refusal = Option.getOrUndefined(readError(json))?.error
  // Not the words of the Graph API.
  if (refusal === undefined) return status === 429 ? { _tag: "Refused", code: 4, details: "too fast" } : unknown
  if (unclear.has(refusal.code)) return unknown
  return { _tag: "Refused", code: refusal.code, details: hide(detailsOf(refusal)), ...retryAfterOf(headers) }
}

/** The token is invalid, has expired, or may not do this. */
const ofToken = (code: number) => code === 0 || code === 190 || code === 10 || (code >= 200 && code <= 299)

export const isTokenRefused = (failure: CallFailure): boolean => failure._tag === "Refused" && ofToken(failure.code)

/** Too many messages to one person; to all. */
const [pairMs, accountMs] = [6_000, 60_000]
const ofPair = 131_056
const ofAccount: ReadonlySet<number> = new Set([4, 80_007, 130_429, 131_048, 131_057])
/** More than 24 hours after the person's last word. */
const closed = 131_047
/** Not on WhatsApp, the account itself, not in the list of a test number. */
const unreachable: ReadonlySet<number> = new Set([131_026, 131_021, 131_030])

export const isClosed = ({ code }: Pick<WireError, "code">): boolean => code === closed

export const reasonOf = (failure: CallFailure): SendReason => {
  if (failure._tag !== "Refused") return failure
  const { code, details, retryAfterMs } = failure
  // The channel ends; what it could not send is sent with the next token.
  if (ofToken(code)) return { _tag: "Unreachable" }
  if (code === ofPair) return { _tag: "TooFast", retryAfterMs: retryAfterMs ?? pairMs, scope: "chat" }
  if (ofAccount.has(code)) return { _tag: "TooFast", retryAfterMs: retryAfterMs ?? accountMs, scope: "account" }
  if (isClosed({ code })) return { _tag: "Closed" }
  if (unreachable.has(code)) return { _tag: "Gone", what: "user" }
  return { _tag: "Refused", description: details }
}
