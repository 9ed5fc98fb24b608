/** What is known of chats between calls: where groups have moved, and what was said last in a chat. Bounded. */
import type { Heard } from "../../../bridge/messages/Channel.ts"

const most = 2_000

const keep = (map: Map<string, string>, key: string, value: string) => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

export const makeChats = () => {
  const moved = new Map<string, string>()
  const newest = new Map<string, string>()
  return {
    move: (from: string, to: string) => keep(moved, from, to),
    /** Where it is now. */
    of: (chatId: string): string => moved.get(chatId) ?? chatId,
    hear: ({ incoming }: Heard) => {
      if (incoming._tag === "Moved") keep(moved, incoming.conversation.chatId, incoming.chatId)
      if (incoming._tag !== "Message" || incoming.message.messageId === undefined) return
      keep(newest, incoming.message.conversation.chatId, incoming.message.messageId)
    },
    /** Groups have negative ids. A quotation is of use there, and where others came between. */
    isQuoted: (chatId: string, messageId: string): boolean => {
      const last = newest.get(chatId)
      return chatId.startsWith("-") || (last !== undefined && last !== messageId)
    }
  }
}
export type Chats = ReturnType<typeof makeChats>
