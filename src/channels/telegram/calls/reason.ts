/** The meaning of a refusal for delivery; pure. Only Telegram's words tell what is missing. */
import type { SendReason } from "../../../bridge/messages/SendError.ts"
import type { CallFailure } from "./failure.ts"

type Refused = Extract<CallFailure, { readonly _tag: "Refused" }>

const unreachable: SendReason = { _tag: "Unreachable" }
const gone = (what: "chat" | "thread" | "message" | "user"): SendReason => ({ _tag: "Gone", what })

/** The first that fits. */
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

/** Where Telegram names no time. */
const usualRetryMs = 5_000

const ofRefusal = ({ code, description, retryAfterMs }: Refused, scope: "chat" | "account"): SendReason => {
  if (code === 429) return { _tag: "TooFast", retryAfterMs: retryAfterMs ?? usualRetryMs, scope }
  // The channel ends; what it could not send is sent with the next token.
  if (code === 401) return unreachable
  const found = table.find(([of, words]) => of === code && words.test(description))
  const own = description.replace(/^(?:Bad Request|Forbidden|Conflict|Not Found): /, "")
  return found?.[2] ?? { _tag: "Refused", description: own }
}

/** `scope`: what a refusal for haste is about. */
export const reasonOf = (failure: CallFailure, scope: "chat" | "account" = "chat"): SendReason =>
  failure._tag === "Refused" ? ofRefusal(failure, scope) : failure

const isRefused = (failure: CallFailure, words: RegExp) =>
  failure._tag === "Refused" && failure.code === 400 && words.test(failure.description)

/** The content is that of the edit already. */
export const isUnchanged = (failure: CallFailure): boolean => isRefused(failure, /message is not modified/i)
export const isNotThere = (failure: CallFailure): boolean =>
  isRefused(failure, /message to delete not found|MESSAGE_ID_INVALID/i)
/** The marks of a text, which can go without them. */
export const isOfEntities = (failure: CallFailure): boolean => isRefused(failure, /entit(?:y|ies)|ENTIT/i)
