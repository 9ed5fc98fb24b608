/** Whether a chat is of one person or of a group, as its last message said: channels have a pace for each. Bounded. */
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"

const most = 2_000

export const makeChatKinds = () => {
  const known = new Map<string, ChannelMessage["chat"]>()
  return {
    note: ({ conversation, chat }: Pick<ChannelMessage, "conversation" | "chat">): void => {
      const text = conversationText(conversation)
      known.delete(text)
      known.set(text, chat)
      const [oldest] = known.keys()
      if (known.size > most && oldest !== undefined) known.delete(oldest)
    },
    /** Undefined where nobody has written since the start. */
    of: (conversation: Conversation): ChannelMessage["chat"] | undefined => known.get(conversationText(conversation))
  }
}
