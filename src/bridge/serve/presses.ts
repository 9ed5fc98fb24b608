/** Buttons of the bridge's own messages: what each means is in its data, which anybody can forge. */
import { Effect } from "effect"
import type { AccountJournal } from "../../journal/Journal.ts"
import type { Channel } from "../../messages/Channel.ts"
import { conversationText, isSameConversation } from "../../messages/Conversation.ts"
import type { Pressed } from "../../messages/Incoming.ts"
import type { OnInterrupted } from "../../types/Sessions.ts"
import type { Role } from "../access/Role.ts"
import { interruptedChoice } from "./interrupted.ts"
import type { JournalFailure } from "./voice.ts"

/** Undefined: it is not for this one. */
export type PressReader = (
  pressed: Pressed,
  role: Role
) => Effect.Effect<string | undefined, JournalFailure> | undefined

const notYours = "This is not yours to answer."
const over = "This is over."

/** The choice of what becomes of an interrupted turn. */
export const interruptedPresses =
  (
    { inbox }: Pick<AccountJournal, "inbox">,
    wanted: Map<string, OnInterrupted>,
    wake: (conversation: string) => Effect.Effect<void>
  ): PressReader =>
  ({ data, conversation }) => {
    const choice = interruptedChoice(data)
    if (choice === undefined) return undefined
    return Effect.gen(function* () {
      const [row] = yield* inbox.ofTurn(choice.turnId)
      if (row === undefined || !isSameConversation(row.message.conversation, conversation)) return notYours
      if (choice.wanted === undefined) return "Forgotten."
      if (wanted.has(choice.turnId)) return "It is under way."
      wanted.set(choice.turnId, choice.wanted)
      if (!(yield* inbox.reopen(choice.turnId))) {
        wanted.delete(choice.turnId)
        return over
      }
      yield* wake(conversationText(conversation))
      return choice.wanted === "continue" ? "It goes on." : "It begins again."
    })
  }

/** The first reader that knows the data does the work; each press is acknowledged once. */
export const makePresses =
  (channel: Pick<Channel, "acknowledge">, readers: ReadonlyArray<PressReader>) =>
  (pressed: Pressed, role: Role | undefined): Effect.Effect<void> => {
    if (role === undefined) return channel.acknowledge(pressed, notYours)
    for (const read of readers) {
      const done = read(pressed, role)
      if (done === undefined) continue
      return Effect.matchCauseEffect(done, {
        onSuccess: (text) => channel.acknowledge(pressed, text),
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logWarning("a press could not be dealt with", cause),
            channel.acknowledge(pressed, "That did not work. Try again.")
          )
      })
    }
    return channel.acknowledge(pressed, over)
  }
