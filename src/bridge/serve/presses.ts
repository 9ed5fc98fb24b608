/** Buttons of the bridge's own messages: what each means is in its data, which anybody can forge. */
import { Effect, Fiber } from "effect"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import type { Role } from "../access/AccessOptions.ts"
import { type Shown, showMissing } from "../delivery/showMissing.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { type InterruptedChoice, interruptedChoice, interruptedWord } from "../messages/interrupted.ts"
import type { JournalFailure } from "./voice.ts"

/** Nothing can come of the buttons of the message any more. */
export interface Settled {
  /** For the presser, and below the message. */
  readonly settled: string
}

/** Undefined: it is not for this one. */
export type PressReader = (
  pressed: Pressed,
  role: Role
) => Effect.Effect<string | Settled | undefined, JournalFailure> | undefined

const notYours = "This is not yours to answer."
const over = "This is over."

/** What people choose for a turn that was interrupted: by a button, or by its label as a message. */
export const makeInterrupted = (
  { inbox }: Pick<AccountJournal, "inbox">,
  wanted: Map<string, OnInterrupted>,
  wake: (conversation: string) => Effect.Effect<void>
) => {
  const choose = Effect.fnUntraced(function* (conversation: Conversation, { turnId, wanted: wish }: InterruptedChoice) {
    const [row] = yield* inbox.ofTurn(turnId)
    if (row === undefined || !isSameConversation(row.message.conversation, conversation)) return notYours
    if (!(yield* inbox.resume(turnId, wish ?? "forget"))) return wanted.has(turnId) ? "It is under way." : over
    if (wish === undefined) return { settled: "Forgotten." }
    wanted.set(turnId, wish)
    yield* wake(conversationText(conversation))
    return { settled: wish === "continue" ? "It goes on." : "It begins again." }
  })
  const press: PressReader = ({ data, conversation }) => {
    const choice = interruptedChoice(data)
    return choice === undefined ? undefined : choose(conversation, choice)
  }
  return {
    press,
    /** True: the message was a choice. */
    text: Effect.fnUntraced(function* ({ text, conversation }: ChannelMessage) {
      const word = interruptedWord(text)
      const turnId = word === undefined ? undefined : yield* inbox.asked(conversation)
      if (word === undefined || turnId === undefined) return false
      yield* choose(conversation, { turnId, wanted: word === "forget" ? undefined : word })
      return true
    })
  }
}

const shownWords: { readonly [S in Shown]: string | Settled } = {
  shown: { settled: "It comes again." },
  there: { settled: "It is there, or on its way." },
  nothing: over
}

/** *Show*, below the line that says that an answer may be missing. */
export const showPresses =
  (journal: Pick<AccountJournal, "outbox">, wake: Effect.Effect<void>): PressReader =>
  ({ data, conversation }) =>
    data.startsWith("s:")
      ? Effect.map(Effect.tap(showMissing(journal, conversation, data), wake), (shown) => shownWords[shown])
      : undefined

/** So long a press holds up what is heard behind it: its channel may be slow, and what it asks for may take long. */
const patience = "1 second"

/** Each press is acknowledged once: by the requests of agents, else by the first reader that knows its data. */
export const makePresses = (
  channel: Pick<Channel, "acknowledge">,
  settle: (pressed: Pressed, word: string) => Effect.Effect<unknown>,
  request: (pressed: Pressed) => Effect.Effect<boolean>,
  readers: ReadonlyArray<PressReader>,
  later: (work: Effect.Effect<void>) => Effect.Effect<Fiber.Fiber<void>>
) => {
  const readBy = (pressed: Pressed, role: Role): Effect.Effect<void> => {
    for (const read of readers) {
      const done = read(pressed, role)
      if (done === undefined) continue
      return Effect.matchCauseEffect(done, {
        onSuccess: (said) =>
          typeof said === "object"
            ? Effect.andThen(channel.acknowledge(pressed, said.settled), settle(pressed, said.settled))
            : channel.acknowledge(pressed, said),
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logWarning("a press could not be dealt with", cause),
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
      Effect.catchCause((cause) => Effect.logWarning("a press could not be dealt with", cause)),
      later,
      Effect.flatMap((fiber) => Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), patience)))
    )
}
