/** Where people and agents talk: the unit of order, and of sessions. */
import { Option, Schema } from "effect"

/** A chat of a channel, or a thread in it. */
export const Conversation = Schema.Struct({
  /** The id of the channel, such as `telegram`. */
  channel: Schema.String,
  /** The account of the channel, such as one bot. */
  accountId: Schema.String,
  chatId: Schema.String,
  /** Where threads begin at a message, the id of that message. Default: none. */
  threadId: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Conversation" })
export type Conversation = typeof Conversation.Type

/** The key of a conversation in the store: its parts, so that no separator in one can make two keys the same. */
export const conversationParts = ({
  channel,
  accountId,
  chatId,
  threadId
}: Conversation): readonly [string, ...ReadonlyArray<string>] =>
  threadId === undefined ? [channel, accountId, chatId] : [channel, accountId, chatId, threadId]

/** The same as one text, to be compared and stored. */
export const conversationText = (conversation: Conversation): string => JSON.stringify(conversationParts(conversation))

export const isSameConversation = (one: Conversation, other: Conversation): boolean =>
  conversationText(one) === conversationText(other)

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The conversation of a stored text; undefined if it is invalid. */
export const conversationOfText = (text: string): Conversation | undefined => {
  const [channel, accountId, chatId, threadId] = Option.getOrElse(decode(text), () => [])
  if (channel === undefined || accountId === undefined || chatId === undefined) return undefined
  return { channel, accountId, chatId, ...(threadId === undefined ? {} : { threadId }) }
}

/** For a text that this program has written. */
export const knownConversation = (text: string): Conversation =>
  conversationOfText(text) ?? { channel: "", accountId: "", chatId: text }
