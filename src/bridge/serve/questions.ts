/**
 * Questions that agents ask by a tool: a press of an option is taken like a message with its label, once; so is what the
 * person writes, and the question is closed by it.
 */
import { Clock, Effect } from "effect"
import { harmless } from "../../contract/text/harmless.ts"
import { literal } from "../../conversations/export/markdownText.ts"
import type { Role } from "../access/AccessOptions.ts"
import { answerOfPress } from "../gateway/askPerson.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { RequestRow } from "../journal/requests.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, isSameConversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { answerPrefix } from "../messages/ownMessages.ts"
import { type Direct, patiently } from "./direct.ts"
import type { PressReader } from "./presses.ts"
import type { JournalFailure } from "./voice.ts"

/** Its rows are in the table of requests, where nobody else answers them. */
export const isAskPerson = (request: string): boolean => request.startsWith('{"type":"ask_person"')

const over = "This is over."

export const makeQuestions = Effect.fnUntraced(function* (
  { requests, outbox }: Pick<AccountJournal, "requests" | "outbox">,
  edit: Direct["edit"],
  /** Takes a message in, as if the person had written it. */
  take: (message: ChannelMessage, role: Role) => Effect.Effect<void, JournalFailure>
) {
  const scope = yield* Effect.scope
  /** Conversations that may have an open one: most messages need no look at the store. */
  const asking = new Set<string>()

  const openIn = (conversation: Conversation) =>
    Effect.map(requests.open, (rows) =>
      rows.filter((row) => isAskPerson(row.request) && isSameConversation(row.conversation, conversation))
    )

  /** The message shows what was answered, where it can be changed, and has no buttons any more. */
  const show = (conversation: Conversation, messageId: string | undefined, row: RequestRow, answer: string) => {
    if (edit === undefined || messageId === undefined) return Effect.void
    const { question } = JSON.parse(row.request) as { readonly question: string } // it was decoded
    const text = `${question}\n\n${answer}`
    return Effect.asVoid(Effect.forkIn(patiently(edit("request", { conversation, messageId }, { text }), true), scope))
  }

  /** The last of its pieces, which has the buttons. */
  const messageOf = Effect.fnUntraced(function* ({ id }: RequestRow) {
    let messageId: string | undefined
    for (let at = 0; ; at += 1) {
      const row = yield* outbox.get(`${id}/${at}`)
      if (row === undefined) return messageId
      messageId = row.messageId
    }
  })

  const answer = Effect.fnUntraced(function* (
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
    // Its own key: however often it is pressed, and heard, it is one message.
    const sentAt = yield* Clock.currentTimeMillis
    const own = { conversation, updateId: `${answerPrefix}${row.id}`, chat, sender, sentAt }
    yield* take({ ...own, text: label, attachments: [], addressed: true }, role)
    yield* requests.answer(row.id, label, name)
    yield* show(conversation, pressed.messageId, row, `${literal(name)}: ${literal(label)}`)
    return label
  })

  const press: PressReader = (pressed, role) => {
    const [, id, choice] = /^r:([A-Za-z0-9_-]{16}):(\d{1,2})$/.exec(pressed.data) ?? []
    if (id === undefined || choice === undefined) return undefined
    return Effect.flatMap(requests.get(id), (row) => answer(pressed, role, row, choice))
  }

  return {
    press,
    /** An agent may have asked in a conversation. */
    note: (conversation: Conversation): void => void asking.add(conversationText(conversation)),
    afterRestart: Effect.map(requests.open, (rows) => {
      for (const { request, conversation } of rows) if (isAskPerson(request)) asking.add(conversationText(conversation))
    }),
    /** A person has written: that is the answer, whatever it is. */
    written: Effect.fnUntraced(function* ({ conversation, sender }: ChannelMessage) {
      if (!asking.delete(conversationText(conversation))) return
      const name = harmless(sender.name ?? sender.id)
      for (const row of yield* openIn(conversation)) {
        yield* requests.answer(row.id, "a message", name)
        yield* show(conversation, yield* messageOf(row), row, `${literal(name)} has answered by a message.`)
      }
    })
  }
})
