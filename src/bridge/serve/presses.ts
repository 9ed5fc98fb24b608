/** Buttons of the bridge's own messages. Their meaning is in their data, which anyone can forge. */
import { Effect, Fiber } from "effect"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { literal } from "../../conversations/export/markdownText.ts"
import type { Role } from "../access/AccessOptions.ts"
import { type Shown, showMissing } from "../delivery/asking.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { type InterruptedChoice, interruptedChoice, interruptedWord } from "../messages/interrupted.ts"
import { type Direct, patiently } from "./direct.ts"
import type { JournalFailure } from "./replies.ts"

/** The buttons of the message have no effect any more. */
export interface Settled {
  /** Appears to the person who pressed, and below the message. */
  readonly settled: string
}

/** Returns undefined if the press belongs to another reader. */
export type PressReader = (
  pressed: Pressed,
  role: Role
) => Effect.Effect<string | Settled | undefined, JournalFailure> | undefined

const notYours = "This is not yours to answer."
export const over = "This is over."

/** Choices of people for an interrupted turn: by a button, or by its label as a message. */
export const makeInterrupted = (
  { inbox }: Pick<AccountJournal, "inbox">,
  decisions: Map<string, OnInterrupted>,
  wake: (conversation: string) => Effect.Effect<void>
) => {
  const choose = Effect.fnUntraced(function* (
    conversation: Conversation,
    { turnId, wanted: decision }: InterruptedChoice
  ) {
    const [row] = yield* inbox.ofTurn(turnId)
    if (row === undefined || !isSameConversation(row.message.conversation, conversation)) return notYours
    if (!(yield* inbox.resume(turnId, decision ?? "forget"))) return decisions.has(turnId) ? "It is running." : over
    if (decision === undefined) return { settled: "Forgotten." }
    decisions.set(turnId, decision)
    yield* wake(conversationText(conversation))
    return { settled: decision === "continue" ? "It continues." : "It starts again." }
  })
  const press: PressReader = ({ data, conversation }) => {
    const choice = interruptedChoice(data)
    return choice === undefined ? undefined : choose(conversation, choice)
  }
  return {
    press,
    /** Returns true if the message was a choice. */
    text: Effect.fnUntraced(function* ({ text, conversation }: ChannelMessage) {
      const word = interruptedWord(text)
      const turnId = word === undefined ? undefined : yield* inbox.asked(conversation)
      if (word === undefined || turnId === undefined) return false
      yield* choose(conversation, { turnId, wanted: word === "forget" ? undefined : word })
      return true
    })
  }
}

const showReplies: { readonly [S in Shown]: string | Settled } = {
  shown: { settled: "It is sent again." },
  there: { settled: "It is there, or on its way." },
  nothing: over
}

/** The *Show* button below a notice that an answer may be missing. */
export const showPresses =
  (journal: Pick<AccountJournal, "outbox">, wake: Effect.Effect<void>): PressReader =>
  ({ data, conversation }) =>
    data.startsWith("s:")
      ? Effect.map(Effect.tap(showMissing(journal, conversation, data), wake), (result) => showReplies[result])
      : undefined

/** Longest delay of later updates by a press. */
const longestWait = "1 second"

/** Each press is acknowledged once: by the requests of agents, else by the first reader that knows its data. */
export const makePresses = (
  channel: Pick<Channel, "acknowledge">,
  settle: (pressed: Pressed, word: string) => Effect.Effect<unknown>,
  request: (pressed: Pressed) => Effect.Effect<boolean>,
  readers: ReadonlyArray<PressReader>,
  inBackground: (work: Effect.Effect<void>) => Effect.Effect<Fiber.Fiber<void>>
) => {
  const readBy = (pressed: Pressed, role: Role): Effect.Effect<void> => {
    for (const read of readers) {
      const done = read(pressed, role)
      if (done === undefined) continue
      return Effect.matchCauseEffect(done, {
        onSuccess: (reply) =>
          typeof reply === "object"
            ? Effect.andThen(channel.acknowledge(pressed, reply.settled), settle(pressed, reply.settled))
            : channel.acknowledge(pressed, reply),
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logWarning("a press failed", cause),
            channel.acknowledge(pressed, "That did not work. Try again.")
          )
      })
    }
    return channel.acknowledge(pressed, over)
  }
  const answer = (pressed: Pressed, role: Role | undefined): Effect.Effect<void> =>
    role === undefined
      ? channel.acknowledge(pressed, notYours)
      : Effect.flatMap(request(pressed), (isDone) => (isDone ? Effect.void : readBy(pressed, role)))
  return (pressed: Pressed, role: Role | undefined): Effect.Effect<void> =>
    answer(pressed, role).pipe(
      Effect.catchCause((cause) => Effect.logWarning("a press failed", cause)),
      inBackground,
      Effect.flatMap((fiber) => Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), longestWait)))
    )
}

const longestName = 60

/** Replaces the buttons of an outbox message by the choice. Only if it has the button: a press may be forged. */
export const makeSettledButtons =
  ({ outbox }: Pick<AccountJournal, "outbox">, edit: Direct["edit"]) =>
  ({ conversation, messageId, data, sender }: Pressed, word: string): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (edit === undefined || messageId === undefined) return
      const row = yield* outbox.ofMessage(conversation, messageId)
      if (row === undefined || !JSON.stringify(row.piece.body).includes(JSON.stringify(data))) return
      const name = harmless(sender.name ?? sender.id).slice(0, longestName)
      const original = row.piece.text.split("\n").map(literal).join("\n")
      const text = `${original}\n\n${literal(name)}: ${word}`
      yield* patiently(edit("request", { conversation, messageId }, { text }), true)
    }).pipe(Effect.ignore)
