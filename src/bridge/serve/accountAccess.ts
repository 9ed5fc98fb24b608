/** Who may do what in the chats of the account; a code pairs its first owner, if the host shows one. */
import { Context, Effect, Layer } from "effect"
import { eventually } from "../../contract/Input.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import { accessOf } from "../access/checkAccess.ts"
import { type Access, makeAccess } from "../access/makeAccess.ts"
import { makePairing } from "../access/pairing.ts"
import { putNewest } from "../delivery/attempt.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { Account, Bridge } from "./account.ts"
import type { JournalFailure } from "./replies.ts"

export class AccountAccess extends Context.Service<
  AccountAccess,
  {
    readonly access: Access<JournalFailure>
    /** `user` for a person who is not allowed any more. */
    readonly roleOf: (message: Pick<ChannelMessage, "conversation" | "sender" | "chat">) => Role
    /** The present role of a person, by id; undefined if they are not allowed. */
    readonly roleIn: (conversation: Conversation, sender: Pick<Sender, "id">) => Role | undefined
    readonly mayAnswer: (conversation: Conversation, sender: Pick<Sender, "id">) => boolean
    /** Direct or a group, by what a person did there last, else by the lists. */
    readonly chatOf: (conversation: Conversation) => ChannelMessage["chat"]
    /** To be called with what each allowed person does. */
    readonly note: (message: Pick<ChannelMessage, "conversation" | "chat">) => void
  }
>()("reins/bridge/AccountAccess") {
  static readonly layer = Layer.effect(
    AccountAccess,
    Effect.gen(function* () {
      const { options } = yield* Bridge
      const { channel, journal } = yield* Account
      const account = { channel: channel.id, accountId: channel.accountId }
      const { pair } = options
      const pairing = pair && (yield* makePairing())
      const access = yield* makeAccess<JournalFailure>({
        options: accessOf(options.access, account),
        ...{ channel, memory: journal, pairing }
      })
      if (pairing !== undefined) {
        yield* eventually(() => pair?.(pairing.code, account)).pipe(
          Effect.catchCause(() => Effect.logWarning("the pairing code could not be shown"))
        )
      }
      const chats = makeChatKinds()
      const chatOf = (conversation: Conversation) =>
        chats.of(conversation) ?? (access.isGroup(conversation.chatId) ? "group" : "direct")
      const roleIn = (conversation: Conversation, sender: Pick<Sender, "id">) =>
        access.roleOf({ conversation, sender, chat: chatOf(conversation) })
      return {
        access,
        roleOf: ({ conversation, sender, chat }) => access.roleOf({ conversation, sender, chat }) ?? "user",
        roleIn,
        mayAnswer: (conversation, sender) => {
          const role = roleIn(conversation, sender)
          return role !== undefined && isAtLeast(role, "approver")
        },
        chatOf,
        note: chats.note
      }
    })
  )
}

const mostKinds = 2_000

/** Whether a chat is direct or a group, from its last message: channels have a pace for each. */
const makeChatKinds = () => {
  const known = new Map<string, ChannelMessage["chat"]>()
  return {
    note: ({ conversation, chat }: Pick<ChannelMessage, "conversation" | "chat">): void =>
      putNewest(known, conversationText(conversation), chat, mostKinds),
    /** Returns undefined if no message has arrived since the start. */
    of: (conversation: Conversation): ChannelMessage["chat"] | undefined => known.get(conversationText(conversation))
  }
}
