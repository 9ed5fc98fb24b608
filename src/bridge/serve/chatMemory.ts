/** Bounded caches of an account's chats: settings, read once and written through, and kinds. */
import { Effect } from "effect"
import { present } from "../../contract/present.ts"
import {
  type ChatDefaults,
  type ChatSettings,
  chatSettingsOf,
  chatSettingsText,
  withDefaults
} from "../ChatSettings.ts"
import { putNewest } from "../delivery/attempt.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { JournalFailure } from "./replies.ts"

export interface ChatMemory {
  /** Settings on top of the chat's defaults. If the store fails, only the defaults. */
  readonly get: (conversation: Conversation) => Effect.Effect<ChatSettings>
  /** Members that are undefined are reset to the defaults. */
  readonly change: (
    conversation: Conversation,
    change: { readonly [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined }
  ) => Effect.Effect<void, JournalFailure>
}

const mostSettings = 1_000
const mostKinds = 2_000

/** @param defaultsOf Initial settings of a chat. @param onChange Called with the settings that people chose so far. */
export const makeChatMemory = (
  { chats }: Pick<AccountJournal, "chats">,
  defaultsOf: (conversation: Conversation) => ChatDefaults | undefined,
  onChange: (conversation: Conversation, settings: ChatSettings) => Effect.Effect<void>
): ChatMemory => {
  const known = new Map<string, ChatSettings>()
  const remember = (text: string, settings: ChatSettings) => {
    putNewest(known, text, settings, mostSettings)
    return settings
  }
  const read = Effect.fnUntraced(function* (conversation: Conversation) {
    const text = conversationText(conversation)
    return known.get(text) ?? remember(text, chatSettingsOf(yield* chats.get(conversation)))
  })
  return {
    get: (conversation) =>
      read(conversation).pipe(
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`the settings of a chat cannot be read: ${error.message}`), {})
        ),
        Effect.map((chosen) => withDefaults(defaultsOf(conversation), chosen))
      ),
    change: Effect.fnUntraced(function* (conversation, change) {
      const settings: ChatSettings = present({ ...(yield* read(conversation)), ...change })
      yield* chats.set(conversation, chatSettingsText(settings))
      remember(conversationText(conversation), settings)
      yield* onChange(conversation, settings)
    })
  }
}

/** Whether a chat is direct or a group, from its last message: channels have a pace for each. */
export const makeChatKinds = () => {
  const known = new Map<string, ChannelMessage["chat"]>()
  return {
    note: ({ conversation, chat }: Pick<ChannelMessage, "conversation" | "chat">): void =>
      putNewest(known, conversationText(conversation), chat, mostKinds),
    /** Returns undefined if no message has arrived since the start. */
    of: (conversation: Conversation): ChannelMessage["chat"] | undefined => known.get(conversationText(conversation))
  }
}
