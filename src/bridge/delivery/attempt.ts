/** One attempt to send a piece, or one look for it. The row is `sending` from before the call on. */
import { Cause, Effect, Option } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { ChangeError } from "../journal/account.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import type { Channel } from "../messages/Channel.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { MessageRef, Piece } from "../messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../messages/SendError.ts"
import type { Call } from "./budgets.ts"
import type { Pacer } from "./pacer.ts"

const mostKnown = 2_000

/** Makes an entry the newest of a bounded map; the oldest is evicted. */
export const putNewest = <Value>(map: Map<string, Value>, key: string, value: Value, most: number): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** The newest known message of each conversation, behind which a lost one is looked for. */
export const makeNewest = ({ outbox }: Pick<AccountJournal, "outbox">) => {
  const known = new Map<string, string>()
  return {
    /** To be called with messages of people, and with ours that have arrived. */
    heard: (conversation: Conversation, messageId: string) =>
      Effect.sync(() => putNewest(known, conversationText(conversation), messageId, mostKnown)),
    of: (conversation: Conversation) =>
      Effect.suspend(() => {
        const messageId = known.get(conversationText(conversation))
        return messageId === undefined ? outbox.newestSent(conversation) : Effect.succeed(messageId)
      })
  }
}

export interface AttemptOptions {
  readonly journal: AccountJournal
  readonly channel: Channel
  readonly pacer: Pacer
  readonly newest: ReturnType<typeof makeNewest>
  /** Undefined for the smaller budget. */
  readonly chatOf?: ((conversation: Conversation) => Call["chat"]) | undefined
  /** `again`: a piece that may be missing is repeated, with a mark. Default: the person is asked. */
  readonly onUnknown?: "ask" | "again"
}

export type Attempt =
  | { readonly end: "there"; readonly ref: MessageRef; readonly leftThread: boolean }
  | { readonly end: "absent" }
  | { readonly end: "failed"; readonly reason: SendReason; readonly leftThread: boolean }
  /** Another process has changed the row. */
  | { readonly end: "none" }

/** Adapters have shorter ones. Without an end, the pieces behind would wait for ever. */
const [deadlineMs, fileDeadlineMs] = [120_000, 900_000]
const unanswered = new SendError({ reason: { _tag: "Unknown" } })

/** Prefix of a text that may be there already. */
const repeatMark = "(maybe again)"

/** Marks in the journal of a piece that is under way. */
export const pieceMarks = (key: string) => ({ leftThread: `left-thread ${key}`, repeated: `repeated ${key}` })

const withoutThread = ({ threadId: _, ...chat }: Conversation): Conversation => chat

/** Reason of a failed call; a defect leaves the outcome unknown. Other failures pass through. */
const reasonOf = <E>(cause: Cause.Cause<E | SendError>): Effect.Effect<SendReason, Exclude<E, SendError>> => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error instanceof SendError) return Effect.succeed(error.reason)
  // Any other error is not a SendError.
  if (error !== undefined || Cause.hasInterrupts(cause))
    return Effect.failCause(cause as Cause.Cause<Exclude<E, SendError>>)
  const log = Effect.logWarning("the channel has failed in a way that it must not", Cause.squash(cause))
  return Effect.as(log, unanswered.reason)
}

export const makeAttempts = ({
  journal: { outbox, marks },
  channel,
  pacer,
  newest,
  chatOf,
  onUnknown
}: AttemptOptions) => {
  const callOf = ({ conversation, kind }: OutboxRow): Call => ({
    kind: kind === "request" ? "request" : "answer",
    chatId: conversation.chatId,
    chat: chatOf?.(conversation)
  })

  const hasMark = (row: OutboxRow, name: string) =>
    row.tries === 0 ? Effect.succeed(false) : Effect.map(marks.get(name), (value) => value !== undefined)

  const hasLeft = (row: OutboxRow) =>
    row.conversation.threadId === undefined ? Effect.succeed(false) : hasMark(row, pieceMarks(row.key).leftThread)

  /** With the mark, where that still is one message. */
  const pieceOf = Effect.fn(...untraced("Attempt.pieceOf"))(function* (
    row: OutboxRow
  ): Effect.fn.Return<Piece, ChangeError> {
    if (onUnknown !== "again" || !(yield* hasMark(row, pieceMarks(row.key).repeated))) return row.piece
    const [marked, ...more] = channel.render({ text: `${repeatMark} ${row.piece.text}` })
    return marked === undefined || more.length > 0 ? row.piece : marked
  })

  const ended = <A>(row: OutboxRow, call: Effect.Effect<A, SendError>) =>
    Effect.timeoutOrElse(call, {
      duration: row.piece.file === undefined ? deadlineMs : fileDeadlineMs,
      orElse: () => Effect.fail(unanswered)
    })

  const send = Effect.fn(...untraced("Attempt.send"))(function* (
    row: OutboxRow
  ): Effect.fn.Return<Attempt, ChangeError> {
    const [piece, after] = [yield* pieceOf(row), yield* newest.of(row.conversation)]
    let begun = false
    const toward = (to: Conversation) =>
      ended(
        row,
        Effect.suspend(() => channel.send(to, piece, row.key))
      )
    const first = (to: Conversation) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          if (!(yield* outbox.sending(row.key, after))) return Option.none<MessageRef>()
          begun = true
          return Option.some(yield* restore(toward(to)))
        })
      )
    const outcome = (call: Effect.Effect<Option.Option<MessageRef>, ChangeError | SendError>, leftThread: boolean) =>
      call.pipe(
        Effect.map(
          Option.match({
            onNone: (): Attempt => ({ end: "none" }),
            onSome: (ref): Attempt => ({ end: "there", ref, leftThread })
          })
        ),
        Effect.catchCause(
          (cause) =>
            begun
              ? Effect.map(reasonOf(cause), (reason): Attempt => ({ end: "failed", reason, leftThread }))
              : Effect.failCause(cause as Cause.Cause<ChangeError>) // the channel was not called
        )
      )
    if (yield* hasLeft(row)) return yield* outcome(pacer.run(callOf(row), first(withoutThread(row.conversation))), true)
    const end = yield* outcome(pacer.run(callOf(row), first(row.conversation)), false)
    const isThreadGone = end.end === "failed" && end.reason._tag === "Gone" && end.reason.what === "thread"
    if (!isThreadGone || row.conversation.threadId === undefined) return end
    yield* marks.set(pieceMarks(row.key).leftThread, "1")
    return yield* outcome(pacer.run(callOf(row), Effect.asSome(toward(withoutThread(row.conversation)))), true)
  })

  /** Only for channels that can look. */
  const look = Effect.fn(...untraced("Attempt.look"))(function* (
    row: OutboxRow
  ): Effect.fn.Return<Attempt, ChangeError> {
    const leftThread = yield* hasLeft(row)
    const to = leftThread ? withoutThread(row.conversation) : row.conversation
    const piece = yield* pieceOf(row)
    const find = Effect.suspend(() => channel.find?.(to, piece, row.key, row.after) ?? Effect.fail(unanswered))
    return yield* pacer.run(callOf(row), ended(row, find)).pipe(
      Effect.map((ref): Attempt => (ref === undefined ? { end: "absent" } : { end: "there", ref, leftThread })),
      Effect.catchCause((cause) =>
        Effect.map(reasonOf(cause), (reason): Attempt => ({ end: "failed", reason, leftThread }))
      )
    )
  })

  return { send, look }
}
