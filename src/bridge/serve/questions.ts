/** Questions that agents ask by a tool. A press counts as a message with its label; any message closes a question. */
import { Clock, Context, Effect, Layer } from "effect"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { literal } from "../../conversations/export/markdownText.ts"
import type { Role } from "../access/AccessOptions.ts"
import { answerOfPress } from "../gateway/askPerson.ts"
import type { RequestRow } from "../journal/requests.ts"
import { answerPrefix, type ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { Account } from "./account.ts"
import { Direct, patiently } from "./direct.ts"
import { Intake } from "./intake.ts"
import { over, type PressReader } from "./pressReader.ts"

/** Whether a row is such a question: it is answered only here. */
export const isAskPerson = (request: string): boolean => request.startsWith('{"type":"ask_person"')

export class Questions extends Context.Service<Questions, Effect.Success<typeof makeQuestions>>()(
  "reins/bridge/Questions"
) {
  static readonly layer = Layer.effect(
    Questions,
    Effect.suspend(() => makeQuestions)
  )
}

const makeQuestions = Effect.gen(function* () {
  const { journal, inBackground } = yield* Account
  const { requests, outbox } = journal
  const { edit } = yield* Direct
  const { take } = yield* Intake
  /** Conversations that may have an open question: most messages need no look at the store. */
  const maybeOpen = new Set<string>()

  const openIn = (conversation: Conversation) =>
    Effect.map(requests.open, (rows) =>
      rows.filter((row) => isAskPerson(row.request) && isSameConversation(row.conversation, conversation))
    )

  /** Replaces the buttons of the question by its answer, if the channel can edit. */
  const showAnswer = (conversation: Conversation, messageId: string | undefined, row: RequestRow, answer: string) => {
    if (edit === undefined || messageId === undefined) return Effect.void
    const { question } = JSON.parse(row.request) as { readonly question: string } // it was decoded
    const text = `${question}\n\n${answer}`
    return Effect.asVoid(inBackground(patiently(edit("request", { conversation, messageId }, { text }), true)))
  }

  /** The message id of the question's last piece, which has the buttons. */
  const messageOf = Effect.fn(...untraced("Questions.messageOf"))(function* ({ id }: RequestRow) {
    let messageId: string | undefined
    for (let at = 0; ; at += 1) {
      const row = yield* outbox.get(`${id}/${at}`)
      if (row === undefined) return messageId
      messageId = row.messageId
    }
  })

  const answer = Effect.fn(...untraced("Questions.answer"))(function* (
    pressed: Pressed,
    role: Role,
    row: RequestRow | undefined,
    choice: string
  ) {
    const label = row === undefined ? undefined : answerOfPress(row, choice)
    if (row === undefined || label === undefined || !isSameConversation(row.conversation, pressed.conversation)) {
      return over
    }
    const name = harmless(pressed.sender.name ?? pressed.sender.id)
    if (row.state !== "open") return row.person === undefined ? over : `Already answered by ${row.person}.`
    const { conversation, chat, sender } = pressed
    // A key of the question: repeated presses and updates give one message.
    const sentAt = yield* Clock.currentTimeMillis
    const own = { conversation, updateId: `${answerPrefix}${row.id}`, chat, sender, sentAt }
    yield* take({ ...own, text: label, attachments: [], addressed: true }, role)
    yield* requests.answer(row.id, label, name)
    yield* showAnswer(conversation, pressed.messageId, row, `${literal(name)}: ${literal(label)}`)
    return label
  })

  const press: PressReader = (pressed, role) => {
    const [, id, choice] = /^r:([A-Za-z0-9_-]{16}):(\d{1,2})$/.exec(pressed.data) ?? []
    if (id === undefined || choice === undefined) return undefined
    return Effect.flatMap(requests.get(id), (row) => answer(pressed, role, row, choice))
  }

  for (const { conversation, request } of yield* requests.open) {
    if (isAskPerson(request)) maybeOpen.add(conversationText(conversation))
  }
  return {
    press,
    /** To be called when an agent may have asked in a conversation. */
    note: (conversation: Conversation): void => void maybeOpen.add(conversationText(conversation)),
    /** Closes the questions of a conversation when a person writes: the message is the answer. */
    closeBy: Effect.fn(...untraced("Questions.closeBy"))(function* ({ conversation, sender }: ChannelMessage) {
      if (!maybeOpen.delete(conversationText(conversation))) return
      const name = harmless(sender.name ?? sender.id)
      for (const row of yield* openIn(conversation)) {
        yield* requests.answer(row.id, "a message", name)
        yield* showAnswer(conversation, yield* messageOf(row), row, `${literal(name)} answered with a message.`)
      }
    })
  }
})
