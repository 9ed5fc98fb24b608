/** Messages of the bridge itself in a conversation: pieces of the outbox, delivered in order like answers. */
import { Context, Effect, Layer, Schedule } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { OutboxSignal } from "../delivery/deliverOutbox.ts"
import type { PacerOptions } from "../delivery/pacer.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { NewPiece, PieceKind } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import type { ChannelLost } from "../ServeError.ts"
import { texts } from "../texts.ts"
import { Account } from "./account.ts"

export type JournalFailure = StoreError | ChannelLost

export class Replies extends Context.Service<
  Replies,
  {
    /** The pieces of a payload, under keys that begin with `key`. */
    readonly pieces: (
      conversation: Conversation,
      payload: ReplyPayload,
      about: { readonly key: string; readonly kind: PieceKind; readonly turnId?: string }
    ) => ReadonlyArray<NewPiece>
    /** The pieces of a message that the bridge sends on its own. */
    readonly noticePieces: (conversation: Conversation, payload: ReplyPayload, key: string) => ReadonlyArray<NewPiece>
    /** Puts a message into the outbox, once per key. */
    readonly send: (
      conversation: Conversation,
      payload: ReplyPayload,
      key: string
    ) => Effect.Effect<void, JournalFailure>
    readonly wake: Effect.Effect<void>
  }
>()("reins/bridge/Replies") {
  static readonly layer = Layer.effect(
    Replies,
    Effect.gen(function* () {
      const { channel, journal } = yield* Account
      const { ring } = yield* OutboxSignal
      return makeReplies(channel, journal, ring)
    })
  )
}

const makeReplies = (
  { id, accountId, render }: Channel,
  { outbox }: AccountJournal,
  wake: Effect.Effect<void>
): Replies["Service"] => {
  const pieces: Replies["Service"]["pieces"] = (conversation, payload, { key, kind, turnId }) =>
    render(payload).map((piece, index) => ({
      key: `${key}/${index}`,
      conversation,
      kind,
      piece,
      ...(turnId === undefined ? {} : { turnId })
    }))
  const noticePieces: Replies["Service"]["noticePieces"] = (conversation, payload, key) =>
    // Ids of chats and messages are unique only within one account.
    pieces(conversation, payload, { key: JSON.stringify([id, accountId, key]), kind: "notice" })
  return {
    pieces,
    noticePieces,
    send: (conversation, payload, key) => Effect.andThen(outbox.put(noticePieces(conversation, payload, key)), wake),
    wake
  }
}

/** Explains once, in a chat, that its channel has put it off for a minute or longer. */
export const heldNotice =
  (
    { id, accountId }: Pick<Channel, "id" | "accountId">,
    { send }: Pick<Replies["Service"], "send">
  ): NonNullable<PacerOptions["onHeld"]> =>
  ({ scope, chatId, heldMs }) => {
    const seconds = Math.round(heldMs / 1000)
    const log = Effect.logWarning(`the channel ${id} (${accountId}) accepted nothing for ${seconds} s`)
    // Edits are not missed, and an account-wide hold would be announced in many chats.
    if (scope !== "chat" || chatId === undefined) return log
    const key = `${chatId}/held/${crypto.randomUUID()}`
    const notice = send({ channel: id, accountId, chatId }, { text: texts.wasHeld(heldMs) }, key)
    return Effect.andThen(log, Effect.ignore(notice))
  }

const retryDelay = "1 second"

/** @param subject For the log, such as `a command`. */
export const retryWhileStoreFails = <A>(
  subject: string,
  change: Effect.Effect<A, JournalFailure>
): Effect.Effect<A, JournalFailure> =>
  change.pipe(
    Effect.tapError((error) => Effect.logWarning(`${subject} waits for the store: ${error.message}`)),
    Effect.retry({ schedule: Schedule.spaced(retryDelay), while: ({ _tag }) => _tag === "StoreError" })
  )
