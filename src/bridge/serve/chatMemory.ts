/** Settings of an account's chats: a bounded cache, read once and written through. */
import { Context, Effect, Layer } from "effect"
import { present } from "../../contract/present.ts"
import { untraced } from "../../contract/untraced.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import {
  type ChatDefaults,
  type ChatSettings,
  chatSettingsOf,
  chatSettingsText,
  withDefaults
} from "../ChatSettings.ts"
import { putNewest } from "../delivery/attempt.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { Account, Bridge } from "./account.ts"
import type { JournalFailure } from "./replies.ts"

export class ChatMemory extends Context.Service<
  ChatMemory,
  {
    /** Settings on top of the chat's defaults. If the store fails, only the defaults. */
    readonly get: (conversation: Conversation) => Effect.Effect<ChatSettings>
    /** Members that are undefined are reset to the defaults. */
    readonly change: (
      conversation: Conversation,
      change: { readonly [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined }
    ) => Effect.Effect<void, JournalFailure>
  }
>()("reins/bridge/ChatMemory") {
  static readonly layer = Layer.effect(
    ChatMemory,
    Effect.gen(function* () {
      const { options } = yield* Bridge
      const { channel, journal } = yield* Account
      return makeChatMemory(
        journal,
        (conversation) => defaultsOf(options, conversation),
        (conversation, { planMode: _, ...chosen }) =>
          channel.watch?.({ _tag: "Chosen", conversation, chosen }) ?? Effect.void
      )
    })
  )
}

const mostSettings = 1_000

/** Initial settings of a chat, if the options have any. */
export const defaultsOf = ({ chats }: Pick<CheckedOptions, "chats">, { chatId }: Conversation) =>
  Object.hasOwn(chats, chatId) ? chats[chatId] : undefined

/** @param defaultsOf Initial settings of a chat. @param onChange Called with the settings that people chose so far. */
const makeChatMemory = (
  { chats }: Pick<AccountJournal, "chats">,
  defaultsOf: (conversation: Conversation) => ChatDefaults | undefined,
  onChange: (conversation: Conversation, settings: ChatSettings) => Effect.Effect<void>
): ChatMemory["Service"] => {
  const known = new Map<string, ChatSettings>()
  const remember = (text: string, settings: ChatSettings) => {
    putNewest(known, text, settings, mostSettings)
    return settings
  }
  const read = Effect.fn(...untraced("ChatMemory.read"))(function* (conversation: Conversation) {
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
    change: Effect.fn(...untraced("ChatMemory.change"))(function* (conversation, change) {
      const settings: ChatSettings = present({ ...(yield* read(conversation)), ...change })
      yield* chats.set(conversation, chatSettingsText(settings))
      remember(conversationText(conversation), settings)
      yield* onChange(conversation, settings)
    })
  }
}
