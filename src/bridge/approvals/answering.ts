/**
 * Presses and texts of people as answers. The session decides which counts: what is asked of it here is true when its event
 * says so. A press is acknowledged before anything else is done; of two presses one finds the request open.
 */
import { Effect } from "effect"
import { deciderOf } from "../../agents/session/decider.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import { type Conversation, isSameConversation } from "../messages/Conversation.ts"
import type { Pressed } from "../messages/Incoming.ts"
import type { Board, RequestRows } from "./board.ts"
import type { Act } from "./choices.ts"
import { pressedButton } from "./data.ts"
import type { Entries, Entry } from "./entry.ts"
import { actOfCode, type Presser, perform, type Verdict } from "./press.ts"
import { type Look, shownOf } from "./shown.ts"
import { actOfText } from "./textAnswer.ts"
import { actOfValue } from "./valueAnswer.ts"
import { words } from "./words.ts"

export interface AnsweringOptions {
  readonly entries: Entries
  readonly rows: Pick<RequestRows, "get">
  readonly board: Pick<Board, "refresh" | "sendWhole">
  readonly look: Look
  readonly acknowledge: (press: Pressed, text?: string) => Effect.Effect<void>
  readonly mayAnswer: (conversation: Conversation, sender: Sender) => boolean
  /** What waits for the channel holds up nothing that is heard. */
  readonly fork: (effect: Effect.Effect<void>) => unknown
}

/** So long the word of the store is waited for, of a row from before a restart. */
const rowWait = "300 millis"
/** So long an acknowledgement holds up the answer. */
const acknowledgeWait = "1 second"

const nameOf = ({ name, username, id }: Sender): string =>
  deciderOf({ person: name ?? "" }).person ?? deciderOf({ person: username ?? id }).person ?? "somebody"

export const makeAnswering = (options: AnsweringOptions) => {
  const { entries, rows, board, look, acknowledge, mayAnswer, fork } = options
  const presserOf = (entry: Entry, { conversation, sender }: Pick<Pressed, "conversation" | "sender">): Presser => ({
    name: nameOf(sender),
    mayAnswer: mayAnswer(entry.conversation, sender),
    isHere: isSameConversation(entry.conversation, conversation)
  })

  const shownNow = (entry: Entry) =>
    entry.state._tag === "Open" ? shownOf(entry.asked, entry.state.draft, entry.id, look) : undefined

  const showAll = Effect.fnUntraced(function* (entry: Entry) {
    if (entry.isSendingWhole) return
    entry.isSendingWhole = true
    const isThere = yield* Effect.ensuring(
      board.sendWhole(entry),
      Effect.sync(() => {
        entry.isSendingWhole = false
      })
    )
    const { state } = entry
    if (!isThere || state._tag !== "Open") return
    entry.state = { _tag: "Open", draft: { ...state.draft, isShown: true } }
    yield* board.refresh(entry)
  })

  const decide = ({ session, asked, conversation }: Entry, person: string, verdict: Verdict) => {
    const decider = { person, where: conversation.channel }
    if (verdict._tag === "Decided") return session.decide(asked.requestId, { ...verdict.answer, ...decider })
    if (verdict._tag === "Answered") return session.answer(asked.requestId, verdict.answers, decider)
    return Effect.void
  }

  /** Changes the state at once; the rest is for later. */
  const judge = (entry: Entry, act: Act | undefined, presser: Presser) => {
    const before = entry.state
    const verdict = perform(entry.asked, before, act, presser)
    if ("state" in verdict) entry.state = verdict.state
    const carryOut = Effect.suspend((): Effect.Effect<void> => {
      if (verdict._tag === "Drafted") return Effect.sync(() => void fork(board.refresh(entry)))
      if (verdict._tag === "ShowAll") return Effect.sync(() => void fork(showAll(entry)))
      return Effect.catchCause(Effect.asVoid(decide(entry, presser.name, verdict)), (cause) => {
        // It was refused as an answer, and is open as before.
        if (entry.ending === undefined) entry.state = before
        return Effect.logWarning("an answer of a person was refused", cause)
      })
    })
    return { text: verdict.text, carryOut }
  }

  /** Of a button whose request is no longer in memory. */
  const textOfRow = (id: string, { conversation, sender }: Pressed): Effect.Effect<string> => {
    if (!mayAnswer(conversation, sender)) return Effect.succeed(words.notYours)
    return rows.get(id).pipe(
      Effect.map((row) => {
        if (row !== undefined && !isSameConversation(row.conversation, conversation)) return words.notYours
        return row?.person === undefined ? words.over : words.answeredBy(row.person)
      }),
      Effect.timeout(rowWait),
      Effect.catchCause(() => Effect.succeed(words.over))
    )
  }

  /** Of several open ones none is meant, unless the message replies to one. */
  const meant = ({ conversation, sender, replyTo }: ChannelMessage): Entry | undefined => {
    const open = entries.openIn(conversation).filter((entry) => mayAnswer(entry.conversation, sender))
    if (replyTo !== undefined) return open.find(({ messageIds }) => messageIds.has(replyTo.messageId))
    return open.length === 1 ? open[0] : undefined
  }

  return {
    /** False for the button of something else, which is not acknowledged here. */
    press: (pressed: Pressed): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const button = pressedButton(pressed.data)
        if (button === undefined) return Effect.succeed(false)
        const entry = entries.byId(button.id)
        if (entry === undefined) {
          return Effect.as(
            Effect.flatMap(textOfRow(button.id, pressed), (text) => acknowledge(pressed, text)),
            true
          )
        }
        const { choice } = pressed
        const act = choice ? actOfValue(entry.asked, choice) : actOfCode(shownNow(entry)?.choices ?? [], button.code)
        const { text, carryOut } = judge(entry, act, presserOf(entry, pressed))
        const acknowledged = acknowledge(pressed, text === "" ? undefined : text).pipe(
          Effect.timeoutOption(acknowledgeWait),
          Effect.ignoreCause
        )
        return Effect.as(Effect.andThen(acknowledged, carryOut), true)
      }),

    /** True if the message was an answer. */
    text: (message: ChannelMessage): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        if (!message.addressed || message.attachments.length > 0) return Effect.succeed(false)
        const entry = meant(message)
        const shown = entry && shownNow(entry)
        if (entry?.state._tag !== "Open" || shown === undefined) return Effect.succeed(false)
        const { choices, isNumbered } = shown
        const act = actOfText(entry.asked, entry.state.draft, choices, isNumbered, message.text)
        if (act === undefined) return Effect.succeed(false)
        return Effect.as(judge(entry, act, presserOf(entry, message)).carryOut, true)
      })
  }
}
