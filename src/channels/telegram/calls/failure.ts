/** Failures of calls, from grammY's errors, and their meaning for delivery; pure. Errors hold the token and are not kept. */
import { Predicate } from "effect"
import type { SendReason } from "../../../bridge/messages/SendError.ts"
import { withoutInvisible } from "../../../contract/text/harmless.ts"
import { isBeforeRequest } from "../../kit/call.ts"

export type CallFailure =
  /** Telegram answered that nothing was done. */
  | {
      readonly _tag: "Refused"
      readonly code: number
      readonly description: string
      readonly retryAfterMs?: number
      /** The group is a supergroup now, with this id. */
      readonly movedTo?: string
    }
  /** No byte was sent. */
  | { readonly _tag: "Unreachable" }
  | { readonly _tag: "Unknown" }

export const unknown: CallFailure = { _tag: "Unknown" }

/** node-fetch 2 names the failed system call only in its message. After other calls the request may have arrived. */
const whileConnecting = /, reason: connect E[A-Z]+\b/

const isBefore = (cause: unknown): boolean =>
  isBeforeRequest(cause) || (Predicate.hasProperty(cause, "message") && whileConnecting.test(String(cause.message)))

const numberAt = (input: unknown, name: string): number | undefined => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

export const failureOf = (thrown: unknown, token: string): CallFailure => {
  const code = numberAt(thrown, "error_code")
  if (code === undefined) {
    // The cause of an `HttpError`.
    const cause = Predicate.hasProperty(thrown, "error") ? thrown.error : thrown
    return isBefore(cause) ? { _tag: "Unreachable" } : unknown
  }
  if (code >= 500) return unknown
  const parameters = Predicate.hasProperty(thrown, "parameters") ? thrown.parameters : undefined
  const [retryAfter, movedTo] = [numberAt(parameters, "retry_after"), numberAt(parameters, "migrate_to_chat_id")]
  const description = Predicate.hasProperty(thrown, "description") ? thrown.description : ""
  return {
    _tag: "Refused",
    code,
    // For people and logs.
    description: withoutInvisible(String(description).replaceAll(token, "<token>")).slice(0, 300),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 }),
    ...(movedTo === undefined ? {} : { movedTo: String(movedTo) })
  }
}

/** True if the token is invalid or was revoked. */
export const isTokenRefused = (failure: CallFailure): boolean =>
  failure._tag === "Refused" && (failure.code === 401 || (failure.code === 404 && failure.description === "Not Found"))

type Refused = Extract<CallFailure, { readonly _tag: "Refused" }>

const unreachable: SendReason = { _tag: "Unreachable" }
const gone = (what: "chat" | "thread" | "message" | "user"): SendReason => ({ _tag: "Gone", what })

/** Reasons of refusals, which only Telegram's words distinguish; the first match counts. */
const table: ReadonlyArray<readonly [code: number, words: RegExp, reason: SendReason]> = [
  [403, /can't initiate conversation/i, { _tag: "Closed" }],
  [403, /blocked by the user|user is deactivated|can't send messages to bots/i, gone("user")],
  [403, /kicked|not a member|chat was deleted|group chat was deactivated/i, gone("chat")],
  [400, /user is deactivated|user not found|PEER_ID_INVALID|INPUT_USER_DEACTIVATED/i, gone("user")],
  [400, /thread not found|TOPIC_CLOSED|TOPIC_DELETED|TOPIC_ID_INVALID/i, gone("thread")],
  [400, /message (?:to edit|to delete|to react) not found|MESSAGE_ID_INVALID/i, gone("message")],
  [400, /invalid file_id|wrong file(?:_id| identifier)|FILE_REFERENCE/i, gone("message")],
  [400, /chat not found|upgraded to a supergroup|CHANNEL_PRIVATE|group chat was deactivated/i, gone("chat")]
]

/** Applies if Telegram names no time. */
const usualRetryMs = 5_000

const ofRefusal = ({ code, description, retryAfterMs }: Refused, scope: "chat" | "account"): SendReason => {
  if (code === 429) return { _tag: "TooFast", retryAfterMs: retryAfterMs ?? usualRetryMs, scope }
  // The channel ends; what it could not send is sent with the next token.
  if (code === 401) return unreachable
  const found = table.find(([of, words]) => of === code && words.test(description))
  const own = description.replace(/^(?:Bad Request|Forbidden|Conflict|Not Found): /, "")
  return found?.[2] ?? { _tag: "Refused", description: own }
}

/** `scope`: the reach of a rate limit. */
export const reasonOf = (failure: CallFailure, scope: "chat" | "account" = "chat"): SendReason =>
  failure._tag === "Refused" ? ofRefusal(failure, scope) : failure

const isRefused = (failure: CallFailure, words: RegExp) =>
  failure._tag === "Refused" && failure.code === 400 && words.test(failure.description)

/** The message already has the content of the edit. */
export const isUnchanged = (failure: CallFailure): boolean => isRefused(failure, /message is not modified/i)
export const isNotThere = (failure: CallFailure): boolean =>
  isRefused(failure, /message to delete not found|MESSAGE_ID_INVALID/i)
/** The marks of the text are refused; the text can be sent without them. */
export const isOfEntities = (failure: CallFailure): boolean => isRefused(failure, /entit(?:y|ies)|ENTIT/i)
