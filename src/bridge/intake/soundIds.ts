/** Whether the ids of what was heard can be kept: bounded, and without characters that no store or log takes; pure. */
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"

const longest = 256

const isSound = (id: string): boolean => id !== "" && id.length <= longest && !/[\p{Cc}\p{Cs}]/u.test(id)

const inConversation = ({ channel, accountId, chatId, threadId = chatId }: Conversation) => [
  channel,
  accountId,
  chatId,
  threadId
]

const idsOf = (incoming: Incoming): ReadonlyArray<string | undefined> => {
  switch (incoming._tag) {
    case "Message": {
      const { conversation, updateId, messageId, sender } = incoming.message
      return [...inConversation(conversation), updateId, messageId, sender.id]
    }
    case "Edited":
    case "Pressed":
      return [...inConversation(incoming.conversation), incoming.updateId, incoming.messageId, incoming.sender.id]
    case "StopAsked":
      return [...inConversation(incoming.conversation), incoming.updateId, incoming.sender.id]
    case "Moved":
      return [...inConversation(incoming.conversation), incoming.updateId, incoming.chatId]
    case "Left":
      return [...inConversation(incoming.conversation), incoming.updateId]
    case "Receipt":
      return [incoming.updateId, incoming.key, incoming.messageId]
  }
}

export const hasSoundIds = (incoming: Incoming): boolean =>
  idsOf(incoming).every((id) => id === undefined || isSound(id))
