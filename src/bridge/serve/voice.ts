/** What the bridge itself says in a conversation: pieces of the outbox, like answers, and in their order. */
import { Effect } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelLost } from "../journal/JournalError.ts"
import type { NewPiece, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"

export type JournalFailure = StoreError | ChannelLost

export interface Voice {
  /** The pieces of a payload, under keys that begin with `key`. */
  readonly pieces: (
    conversation: Conversation,
    payload: ReplyPayload,
    about: { readonly key: string; readonly kind: PieceKind; readonly turnId?: string }
  ) => ReadonlyArray<NewPiece>
  /** Those of something that the bridge says by itself. */
  readonly notice: (conversation: Conversation, payload: ReplyPayload, key: string) => ReadonlyArray<NewPiece>
  /** Says it, once for each key. */
  readonly say: (conversation: Conversation, payload: ReplyPayload, key: string) => Effect.Effect<void, JournalFailure>
  /** Something was put into the outbox. */
  readonly wake: Effect.Effect<void>
}

/** @param wake Of whoever delivers the outbox. */
export const makeVoice = (
  { id, accountId, render }: Pick<Channel, "id" | "accountId" | "render">,
  { outbox }: Pick<AccountJournal, "outbox">,
  wake: Effect.Effect<void>
): Voice => {
  const pieces: Voice["pieces"] = (conversation, payload, { key, kind, turnId }) =>
    render(payload).map((piece, index) => ({
      key: `${key}/${index}`,
      conversation,
      kind,
      piece,
      ...(turnId === undefined ? {} : { turnId })
    }))
  const notice: Voice["notice"] = (conversation, payload, key) =>
    // Ids of chats and messages are those of one account alone.
    pieces(conversation, payload, { key: JSON.stringify([id, accountId, key]), kind: "notice" })
  return {
    pieces,
    notice,
    say: (conversation, payload, key) => Effect.andThen(outbox.put(notice(conversation, payload, key)), wake),
    wake
  }
}
