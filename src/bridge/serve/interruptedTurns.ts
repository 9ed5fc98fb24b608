/** Turns that an earlier host has interrupted, and what people decide about them. */
import { Context, Effect, Layer } from "effect"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation } from "../messages/Conversation.ts"
import { type InterruptedChoice, interruptedChoice, interruptedWord } from "../messages/interrupted.ts"
import { Account } from "./account.ts"
import { ConversationQueues } from "./conversationQueues.ts"
import { notYours, over, type PressReader } from "./pressReader.ts"

/** Choices of people for an interrupted turn: by a button, or by its label as a message. */
export class InterruptedTurns extends Context.Service<InterruptedTurns, Effect.Success<typeof makeInterrupted>>()(
  "reins/bridge/InterruptedTurns"
) {
  static readonly layer = Layer.effect(
    InterruptedTurns,
    Effect.suspend(() => makeInterrupted)
  )
}

const makeInterrupted = Effect.gen(function* () {
  const { inbox } = (yield* Account).journal
  const { wake } = yield* ConversationQueues
  /** By turn id, until the turn has ended. */
  const decisions = new Map<string, OnInterrupted>()
  const choose = Effect.fn(...untraced("InterruptedTurns.choose"))(function* (
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
    decisions,
    press,
    /** Returns true if the message was a choice. */
    text: Effect.fn(...untraced("InterruptedTurns.text"))(function* ({ text, conversation }: ChannelMessage) {
      const word = interruptedWord(text)
      const turnId = word === undefined ? undefined : yield* inbox.asked(conversation)
      if (word === undefined || turnId === undefined) return false
      yield* choose(conversation, { turnId, wanted: word === "forget" ? undefined : word })
      return true
    })
  }
})
