/** Transient messages: open requests, and progress. They go to the channel at its pace, and are lost with the host. */
import { Clock, Context, Effect, Fiber, Layer, Option, Schedule, Schema } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Call, CallKind } from "../delivery/budgets.ts"
import { makePacer, type Pacer, type StoredHold } from "../delivery/pacer.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { MessageRef, ReplyPayload } from "../messages/ReplyPayload.ts"
import { SendError, TooFastScope } from "../messages/SendError.ts"
import type { Lazy } from "../progress/writer.ts"
import { Account } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { heldNotice, Replies } from "./replies.ts"

/** The pace of the channel, for everything that is sent to it. */
export class ChannelPacer extends Context.Service<ChannelPacer, Pacer>()("reins/bridge/ChannelPacer") {
  static readonly layer = Layer.effect(
    ChannelPacer,
    Effect.gen(function* () {
      const { channel, journal } = yield* Account
      const onHeld = heldNotice(channel, yield* Replies)
      return yield* makePacer(channel.limits.pace, { onHeld, ...(yield* storedHolds(journal)) })
    })
  )
}

const HoldMark = Schema.fromJsonString(
  Schema.Struct({
    scope: TooFastScope,
    chatId: Schema.optional(Schema.String),
    until: Schema.Number
  })
)
const decodeHold = Schema.decodeUnknownOption(HoldMark)
const encodeHold = Schema.encodeSync(HoldMark)

const holdPrefix = "hold:"

/** Holds of the channel, for this host and the next one. */
const storedHolds = Effect.fnUntraced(function* ({ marks }: Pick<AccountJournal, "marks">) {
  const now = yield* Clock.currentTimeMillis
  const stored = yield* Effect.orElseSucceed(marks.all(holdPrefix), () => [])
  const holds: Array<StoredHold> = []
  for (const { name, value } of stored) {
    const hold = Option.getOrUndefined(decodeHold(value))
    if (hold !== undefined && hold.until > now) holds.push({ ...hold, chatId: hold.chatId })
    else yield* Effect.ignore(marks.set(name, undefined))
  }
  return {
    holds,
    onHold: (hold: StoredHold) =>
      Effect.ignore(marks.set(`${holdPrefix}${JSON.stringify([hold.scope, hold.chatId ?? ""])}`, encodeHold(hold)), {
        log: "Warn"
      })
  }
})

export class Direct extends Context.Service<
  Direct,
  {
    /** Sends all pieces in one attempt; returns the last. */
    readonly send: (
      kind: CallKind,
      to: Conversation,
      payload: ReplyPayload,
      key: string
    ) => Effect.Effect<MessageRef, SendError>
    /** Undefined if the channel cannot change messages. */
    readonly edit:
      | ((kind: CallKind, ref: MessageRef, payload: ReplyPayload) => Effect.Effect<void, SendError>)
      | undefined
    /**
     * Sends a payload in one piece, evaluated when it is sent; returns undefined if there was nothing left to send. `onSent`
     * also runs if the host ends while the message is being sent.
     */
    readonly show: (
      to: Conversation,
      payload: Lazy<ReplyPayload | undefined>,
      key: string,
      onSent: (ref: MessageRef) => Effect.Effect<void>
    ) => Effect.Effect<MessageRef | undefined, SendError>
    /** The same for an existing message. */
    readonly update:
      | ((ref: MessageRef, payload: Lazy<ReplyPayload | undefined>) => Effect.Effect<void, SendError>)
      | undefined
    readonly remove: ((ref: MessageRef) => Effect.Effect<void, SendError>) | undefined
    /** Shows a draft, evaluated when it is sent. */
    readonly draft:
      | ((to: Conversation, draftId: number, payload: Lazy<ReplyPayload | undefined>) => Effect.Effect<void, SendError>)
      | undefined
  }
>()("reins/bridge/Direct") {
  static readonly layer = Layer.effect(
    Direct,
    Effect.gen(function* () {
      const { channel } = yield* Account
      const { chatOf } = yield* AccountAccess
      return makeDirect(channel, yield* ChannelPacer, chatOf)
    })
  )
}

const nothingToSend = new SendError({ reason: { _tag: "Refused", description: "the message is empty" } })

/** Time for a call that is under way when the host ends. */
const lastCall = "5 seconds"

/** Interruption waits for the end of the call, which names the message. */
const finishing = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(call)), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
        Effect.andThen(Effect.timeoutOption(Fiber.await(fiber), lastCall), Fiber.interrupt(fiber))
      )
    )
  )

const makeDirect = (
  channel: Channel,
  pacer: Pacer,
  chatOf: (conversation: Conversation) => Call["chat"]
): Direct["Service"] => {
  const { edit, remove, draft } = channel
  const callOf = (kind: CallKind, conversation: Conversation, isEdit = false): Call => {
    const chat = chatOf(conversation)
    return { kind, chatId: conversation.chatId, isEdit, ...(chat === undefined ? {} : { chat }) }
  }
  const pieceOf = (payload: ReplyPayload | undefined) => (payload === undefined ? [] : channel.render(payload))[0]
  return {
    send: Effect.fn(...untraced("Direct.send"))(function* (kind, to, payload, key) {
      let last: MessageRef | undefined
      for (const [index, piece] of channel.render(payload).entries()) {
        last = yield* pacer.run(callOf(kind, to), channel.send(to, piece, `${key}/${index}`))
      }
      return last ?? (yield* nothingToSend)
    }),
    edit:
      edit &&
      ((kind, ref, payload) => {
        const piece = pieceOf(payload)
        if (piece === undefined) return Effect.fail(nothingToSend)
        return pacer.run(callOf(kind, ref.conversation, true), edit(ref, piece))
      }),
    show: (to, payload, key, onSent) => {
      const call = Effect.suspend(() => {
        const piece = pieceOf(payload())
        if (piece === undefined) return Effect.succeed(undefined)
        return finishing(Effect.tap(channel.send(to, piece, key), onSent))
      })
      return pacer.run(callOf("progress", to), call)
    },
    update:
      edit &&
      ((ref, payload) => {
        const call = Effect.suspend(() => {
          const piece = pieceOf(payload())
          return piece === undefined ? Effect.void : edit(ref, piece)
        })
        return pacer.run(callOf("progress", ref.conversation, true), call)
      }),
    remove: remove && ((ref) => pacer.run(callOf("removal", ref.conversation), remove(ref))),
    draft:
      draft &&
      ((to, draftId, payload) => {
        const call = Effect.suspend(() => {
          const piece = pieceOf(payload())
          return piece === undefined ? Effect.void : draft(to, draftId, piece)
        })
        return pacer.run(callOf("progress", to, true), call)
      })
  }
}

export const wasNotSent = ({ reason: { _tag } }: SendError) => _tag === "TooFast" || _tag === "Unreachable"

/** Messages that may be repeated are retried also if their outcome is unknown. */
const mayNotBeSent = (error: SendError) => wasNotSent(error) || error.reason._tag === "Unknown"

const backoff = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")])

/** Retries for up to five minutes; undefined for no success. @param mayRepeat Whether it may arrive twice. */
export const patiently = <A>(attempt: Effect.Effect<A, SendError>, mayRepeat = false): Effect.Effect<A | undefined> =>
  Effect.retry(attempt, { while: mayRepeat ? mayNotBeSent : wasNotSent, schedule: backoff }).pipe(
    Effect.timeoutOption("5 minutes"),
    Effect.map(Option.getOrUndefined),
    // Only the reason is logged: the channel's description may quote the message.
    Effect.catch(({ reason: { _tag } }) =>
      Effect.as(Effect.logWarning("a message could not be shown", { reason: _tag }), undefined)
    )
  )
