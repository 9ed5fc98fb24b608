/**
 * The newest message that is known of each conversation: behind it a lost one is looked for. Bounded; of a conversation
 * that was forgotten, the journal's newest.
 */
import { Effect } from "effect"
import type { AccountJournal } from "../journal/Journal.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"

const most = 2_000

export const makeNewest = ({ outbox }: Pick<AccountJournal, "outbox">) => {
  const known = new Map<string, string>()
  return {
    /** A message of a person, or of ours, that is there. */
    heard: (conversation: Conversation, messageId: string) =>
      Effect.sync(() => {
        const name = conversationText(conversation)
        known.delete(name)
        known.set(name, messageId)
        const [oldest] = known.keys()
        if (known.size > most && oldest !== undefined) known.delete(oldest)
      }),
    of: (conversation: Conversation) =>
      Effect.suspend(() => {
        const messageId = known.get(conversationText(conversation))
        return messageId === undefined ? outbox.newestSent(conversation) : Effect.succeed(messageId)
      })
  }
}
export type Newest = ReturnType<typeof makeNewest>
