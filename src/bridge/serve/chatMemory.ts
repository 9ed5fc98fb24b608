/** What chats of an account have chosen: read once from the journal, and written there. */
import { Effect } from "effect"
import {
  type ChatDefaults,
  type ChatSettings,
  chatSettingsOf,
  chatSettingsText,
  withDefaults
} from "../ChatSettings.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { JournalFailure } from "./voice.ts"

export interface ChatMemory {
  /** With what the chat begins with. A store that does not answer is as if nothing was chosen. */
  readonly get: (conversation: Conversation) => Effect.Effect<ChatSettings>
  /** Members that are undefined are as the bridge was given them. */
  readonly change: (
    conversation: Conversation,
    change: { readonly [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined }
  ) => Effect.Effect<void, JournalFailure>
}

/** Of so many chats, the last used ones. */
const most = 1_000

/** @param defaultsOf What a chat begins with. @param onChange What a chat has chosen by now. */
export const makeChatMemory = (
  { chats }: Pick<AccountJournal, "chats">,
  defaultsOf: (conversation: Conversation) => ChatDefaults | undefined,
  onChange: (conversation: Conversation, settings: ChatSettings) => Effect.Effect<void>
): ChatMemory => {
  const known = new Map<string, ChatSettings>()
  const remember = (text: string, settings: ChatSettings) => {
    known.delete(text)
    known.set(text, settings)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return settings
  }
  const read = Effect.fnUntraced(function* (conversation: Conversation) {
    const text = conversationText(conversation)
    const present = known.get(text)
    return present ?? remember(text, chatSettingsOf(yield* chats.get(conversation)))
  })
  return {
    get: (conversation) =>
      read(conversation).pipe(
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`what the chat has chosen cannot be read: ${error.message}`), {})
        ),
        Effect.map((chosen) => withDefaults(defaultsOf(conversation), chosen))
      ),
    change: Effect.fnUntraced(function* (conversation, change) {
      const merged = { ...(yield* read(conversation)), ...change }
      // Only members that are undefined are removed.
      const settings = Object.fromEntries(
        Object.entries(merged).filter(([, value]) => value !== undefined)
      ) as ChatSettings
      yield* chats.set(conversation, chatSettingsText(settings))
      remember(conversationText(conversation), settings)
      yield* onChange(conversation, settings)
    })
  }
}
