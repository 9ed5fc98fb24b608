/** Takes messages for an agent: stored, then into the running turn or the queue of their conversation. */
import { Clock, Context, Effect, Layer } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Role } from "../access/AccessOptions.ts"
import { isFull, mostWaiting } from "../intake/collect.ts"
import type { Heard } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { conversationText } from "../messages/Conversation.ts"
import { texts } from "../texts.ts"
import { Account } from "./account.ts"
import { messageUpdates } from "./channelUpdates.ts"
import { ConversationQueues } from "./conversationQueues.ts"
import { Pause } from "./pause.ts"
import { QueuedNotices } from "./queuedNotices.ts"
import { type JournalFailure, Replies } from "./replies.ts"
import { Steering } from "./steering.ts"

export class Intake extends Context.Service<
  Intake,
  {
    /** Takes a message of an allowed person. `mark`: the place in the channel's updates, stored with it. */
    readonly take: (
      message: ChannelMessage,
      role: Role,
      about?: Pick<Heard, "mark" | "reception">
    ) => Effect.Effect<void, JournalFailure>
  }
>()("reins/bridge/Intake") {
  static readonly layer = Layer.effect(
    Intake,
    Effect.suspend(() => makeIntake)
  )
}

const makeIntake = Effect.gen(function* () {
  const { channel, journal } = yield* Account
  const { wake } = yield* ConversationQueues
  const arrival = yield* Steering
  const notices = yield* QueuedNotices
  const pausing = yield* Pause
  const replies = yield* Replies
  const { inbox } = journal
  const started = crypto.randomUUID()
  const onOutcome = messageUpdates(channel.watch)

  const isTooMany = Effect.fn(...untraced("Intake.isTooMany"))(function* (
    message: ChannelMessage,
    waiting: ReadonlyArray<string>
  ) {
    // Few messages wait usually, and their rows need not be read.
    if (waiting.length < mostWaiting) return false
    const [at, rows] = [yield* Clock.currentTimeMillis, yield* inbox.waiting(conversationText(message.conversation))]
    return isFull(rows, { updateId: message.updateId, message, at })
  })

  const take = Effect.fn(...untraced("Intake.take"))(function* (
    message: ChannelMessage,
    role: Role,
    { mark, reception }: Pick<Heard, "mark" | "reception"> = {}
  ) {
    const { conversation } = message
    const text = conversationText(conversation)
    if (pausing.current() !== undefined && reception?.declines("paused") === true) return
    const waiting = yield* inbox.waitingIds(text)
    if (yield* isTooMany(message, waiting)) {
      if (reception?.declines("full") === true) return
      // Stored as dropped, so that a repeated update is ignored.
      const isNew = yield* inbox.accept(message, { mark, isDropped: true })
      if (isNew) yield* replies.send(conversation, { text: texts.full(mostWaiting) }, keyOf(message, "full"))
      return yield* onOutcome(message, "dropped")
    }
    const { takenBy, arrive } = arrival(message, { role, isFirst: waiting.length === 0 })
    if (!(yield* inbox.accept(message, { mark, takenBy }))) return
    reception?.stored()
    const arrived = yield* arrive
    // Its turn may have ended meanwhile: then the queue finishes the message.
    if (arrived === "Steered") return yield* Effect.andThen(onOutcome(message, "taken"), wake(text))
    const pause = pausing.notice()
    if (pause !== undefined) {
      yield* replies.send(conversation, { text: pause.text }, `${started}/paused/${pause.id}/${text}`)
      if (channel.watch !== undefined) yield* notices.add(message)
    } else if (arrived === "Queued") yield* notices.add(message)
    yield* wake(text)
  })
  return Intake.of({ take })
})

/** The key of a reply to a message. */
export const keyOf = ({ conversation, updateId }: Pick<ChannelMessage, "conversation" | "updateId">, what: string) =>
  `${conversation.chatId}/${updateId}/${what}`
