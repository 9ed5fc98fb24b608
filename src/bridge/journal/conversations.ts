/** The text under which a conversation is stored → the conversation. */
import { Option, Schema } from "effect"
import type { Conversation } from "../messages/Conversation.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

/** Returns undefined for an invalid text. */
export const conversationOfText = (text: string): Conversation | undefined => {
  const [channel, accountId, chatId, threadId] = Option.getOrElse(decode(text), () => [])
  if (channel === undefined || accountId === undefined || chatId === undefined) return undefined
  return { channel, accountId, chatId, ...(threadId === undefined ? {} : { threadId }) }
}

/** For a text that this program has written. */
export const knownConversation = (text: string): Conversation =>
  conversationOfText(text) ?? { channel: "", accountId: "", chatId: text }
