/** Destination of a message: chat, topic, and the message that it replies to (api#sendmessage). */
import type { Kept, KeptChat, NewMessage } from "../chats.ts"
import { messageOf } from "../messages.ts"
import { flagOf, integerOf, isRecord, jsonOf, type Params } from "../params.ts"
import { badRequest } from "../refusal.ts"
import type { Message } from "../wire.ts"
import type { World } from "../world.ts"

export interface Target {
  readonly chat: KeptChat
  readonly more: Pick<Kept, "thread" | "replyTo" | "isSilent">
}

const chatIdOf = (params: Params) => {
  const { chat_id: id } = params
  // Names of public groups are not supported.
  if (typeof id === "string" && id.startsWith("@")) return undefined
  return integerOf(params, "chat_id")
}

/** Where the bot may write, or at least look. */
export const chatFor = ({ chats }: World, params: Params, access: "write" | "read" = "write"): KeptChat =>
  chats.accessible(chatIdOf(params), access)

/** Senders cannot name "General": 1 is not found. Groups without topics ignore threads; direct chats have none. */
const threadFor = ({ kind, isForum, topics, bot }: KeptChat, thread: number | undefined) => {
  if (thread === undefined || thread === 0 || (kind !== "private" && !isForum)) return undefined
  const state = thread === 1 ? undefined : topics.get(thread)
  if (state === undefined || state === "deleted") throw badRequest("message thread not found")
  if (state === "closed" && bot !== "administrator") throw badRequest("TOPIC_CLOSED")
  return thread
}

const replyFor = ({ chats }: World, chat: KeptChat, params: Params): Kept | undefined => {
  const input = jsonOf(params, "reply_parameters")
  const [reply, name] = isRecord(input) ? [input, "message_id"] : [params, "reply_to_message_id"]
  const id = integerOf(reply, name)
  if (id === undefined) return undefined
  const to = chats.messageOf(chat, id)
  if (to === undefined && !flagOf(reply, "allow_sending_without_reply"))
    throw badRequest("message to be replied not found")
  return to
}

export const targetOf = (world: World, params: Params): Target => {
  const chat = chatFor(world, params)
  const thread = threadFor(chat, integerOf(params, "message_thread_id"))
  const reply = replyFor(world, chat, params)
  return {
    chat,
    more: {
      thread: thread ?? (chat.isForum ? threadFor(chat, reply?.thread) : undefined),
      replyTo: reply?.messageId,
      isSilent: flagOf(params, "disable_notification")
    }
  }
}

/** Called last: an accepted call counts. `count`: the messages of an album. */
export const paced = ({ pace }: World, chat: KeptChat, count = 1) => {
  const refusal = pace.refusal(chat, count)
  if (refusal !== undefined) throw refusal
}

/** Ends the draft of the place. */
export const sendTo = (
  { chats, drafts, me }: World,
  { chat, more }: Target,
  message: Omit<NewMessage, "from" | "isOurs">
): Message => {
  drafts.remove(chat, more.thread)
  return messageOf(chats, chat, chats.add(chat, { ...more, ...message, from: me, isOurs: true }))
}
