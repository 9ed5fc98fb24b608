/**
 * Messages that are of the moment: requests while they are open, progress while a turn lasts. They go to the channel at
 * its pace, past the outbox, and are gone with the host, but for what the journal says of them.
 */
import { Effect, Option, Schedule } from "effect"
import type { Call, CallKind } from "../delivery/budgets.ts"
import type { Pacer } from "../delivery/pacer.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { MessageRef, ReplyPayload } from "../messages/ReplyPayload.ts"
import { SendError } from "../messages/SendError.ts"
import type { AtThatMoment } from "../progress/writer.ts"

export interface Direct {
  /** One attempt: all pieces; gives the last. */
  readonly send: (
    kind: CallKind,
    to: Conversation,
    payload: ReplyPayload,
    key: string
  ) => Effect.Effect<MessageRef, SendError>
  /** Undefined: the channel cannot change messages. */
  readonly edit:
    | ((kind: CallKind, ref: MessageRef, payload: ReplyPayload) => Effect.Effect<void, SendError>)
    | undefined
  /** The progress of a turn, in one piece, as it is when it goes; undefined: there was nothing to say any more. */
  readonly show: (
    to: Conversation,
    payload: AtThatMoment<ReplyPayload | undefined>,
    key: string
  ) => Effect.Effect<MessageRef | undefined, SendError>
  /** The same for a message that is there. Undefined: the channel cannot change messages. */
  readonly update:
    | ((ref: MessageRef, payload: AtThatMoment<ReplyPayload | undefined>) => Effect.Effect<void, SendError>)
    | undefined
  readonly remove: ((ref: MessageRef) => Effect.Effect<void, SendError>) | undefined
}

const nothingToSay = new SendError({ reason: { _tag: "Refused", description: "there is nothing to say" } })

export const makeDirect = (
  channel: Channel,
  pacer: Pacer,
  chatOf: (conversation: Conversation) => Call["chat"]
): Direct => {
  const { edit, remove } = channel
  const callOf = (kind: CallKind, conversation: Conversation, isEdit = false): Call => {
    const chat = chatOf(conversation)
    return { kind, chatId: conversation.chatId, isEdit, ...(chat === undefined ? {} : { chat }) }
  }
  const pieceOf = (payload: ReplyPayload | undefined) => (payload === undefined ? [] : channel.render(payload))[0]
  return {
    send: Effect.fnUntraced(function* (kind, to, payload, key) {
      let last: MessageRef | undefined
      for (const [index, piece] of channel.render(payload).entries()) {
        last = yield* pacer.run(callOf(kind, to), channel.send(to, piece, `${key}/${index}`))
      }
      return last ?? (yield* nothingToSay)
    }),
    edit:
      edit &&
      ((kind, ref, payload) => {
        const piece = pieceOf(payload)
        if (piece === undefined) return Effect.fail(nothingToSay)
        return pacer.run(callOf(kind, ref.conversation, true), edit(ref, piece))
      }),
    show: (to, payload, key) => {
      const say = Effect.suspend(() => {
        const piece = pieceOf(payload())
        return piece === undefined ? Effect.succeed(undefined) : channel.send(to, piece, key)
      })
      return pacer.run(callOf("progress", to), say)
    },
    update:
      edit &&
      ((ref, payload) => {
        const say = Effect.suspend(() => {
          const piece = pieceOf(payload())
          return piece === undefined ? Effect.void : edit(ref, piece)
        })
        return pacer.run(callOf("progress", ref.conversation, true), say)
      }),
    remove: remove && ((ref) => pacer.run(callOf("removal", ref.conversation), remove(ref)))
  }
}

const surelyNot = ({ reason: { _tag } }: SendError) => _tag === "TooFast" || _tag === "Unreachable"

/** What may come twice is tried again where nobody knows whether it came. */
const maybeNot = (error: SendError) => surelyNot(error) || error.reason._tag === "Unknown"

const again = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")])

/**
 * Until it is there, surely is not, or five minutes have passed; undefined: it is not, or nobody knows.
 * @param mayRepeat It may come twice.
 */
export const patiently = <A>(attempt: Effect.Effect<A, SendError>, mayRepeat = false): Effect.Effect<A | undefined> =>
  Effect.retry(attempt, { while: mayRepeat ? maybeNot : surelyNot, schedule: again }).pipe(
    Effect.timeoutOption("5 minutes"),
    Effect.map(Option.getOrUndefined),
    // A channel's words for its refusal can have those of the message in them.
    Effect.catch(({ reason: { _tag } }) =>
      Effect.as(Effect.logWarning("a message could not be shown", { reason: _tag }), undefined)
    )
  )
