/** Messages of the bridge itself in a conversation: pieces of the outbox, delivered in order like answers. */
import { Effect } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { PacerOptions } from "../delivery/pacer.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelLost } from "../journal/JournalError.ts"
import type { NewPiece, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"

export type JournalFailure = StoreError | ChannelLost

export interface Replies {
  /** The pieces of a payload, under keys that begin with `key`. */
  readonly pieces: (
    conversation: Conversation,
    payload: ReplyPayload,
    about: { readonly key: string; readonly kind: PieceKind; readonly turnId?: string }
  ) => ReadonlyArray<NewPiece>
  /** The pieces of a message that the bridge sends on its own. */
  readonly noticePieces: (conversation: Conversation, payload: ReplyPayload, key: string) => ReadonlyArray<NewPiece>
  /** Puts a message into the outbox, once per key. */
  readonly send: (conversation: Conversation, payload: ReplyPayload, key: string) => Effect.Effect<void, JournalFailure>
  /** Wakes the delivery, after something was put into the outbox. */
  readonly wake: Effect.Effect<void>
}

/** @param wake Wakes the delivery of the outbox. */
export const makeReplies = (
  { id, accountId, render }: Pick<Channel, "id" | "accountId" | "render">,
  { outbox }: Pick<AccountJournal, "outbox">,
  wake: Effect.Effect<void>
): Replies => {
  const pieces: Replies["pieces"] = (conversation, payload, { key, kind, turnId }) =>
    render(payload).map((piece, index) => ({
      key: `${key}/${index}`,
      conversation,
      kind,
      piece,
      ...(turnId === undefined ? {} : { turnId })
    }))
  const noticePieces: Replies["noticePieces"] = (conversation, payload, key) =>
    // Ids of chats and messages are unique only within one account.
    pieces(conversation, payload, { key: JSON.stringify([id, accountId, key]), kind: "notice" })
  return {
    pieces,
    noticePieces,
    send: (conversation, payload, key) => Effect.andThen(outbox.put(noticePieces(conversation, payload, key)), wake),
    wake
  }
}

/** Explains a delay to the people of a chat, once, after its channel has put it off for a minute or longer. */
export const heldNotice =
  (
    { id, accountId }: Pick<Channel, "id" | "accountId">,
    { send }: Pick<Replies, "send">
  ): NonNullable<PacerOptions["onHeld"]> =>
  ({ scope, chatId, heldMs }) => {
    const log = Effect.logWarning(
      `the channel ${id} (${accountId}) accepted nothing for ${Math.round(heldMs / 1000)} s`
    )
    // Edits are not missed, and an account-wide hold would be announced in many chats.
    if (scope !== "chat" || chatId === undefined) return log
    const key = `${chatId}/held/${crypto.randomUUID()}`
    return Effect.andThen(
      log,
      Effect.ignore(send({ channel: id, accountId, chatId }, { text: texts.wasHeld(heldMs) }, key))
    )
  }
