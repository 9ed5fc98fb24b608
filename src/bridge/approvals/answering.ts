/** Presses and texts of people as answers. The session decides which counts; a press is acknowledged at once. */
import { Effect } from "effect"
import { obstacleOf } from "../../agents/approvals/preview.ts"
import { deciderOf } from "../../agents/session/answers.ts"
import type { Answers, PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChannelMessage, Sender } from "../messages/ChannelMessage.ts"
import { type Conversation, isSameConversation } from "../messages/Conversation.ts"
import type { PressChoice, Pressed } from "../messages/Incoming.ts"
import type { Board, RequestRows } from "./board.ts"
import {
  type Act,
  type Asked,
  actOfCode,
  type Choice,
  type Draft,
  type Presser,
  perform,
  presentQuestion,
  type Verdict
} from "./choices.ts"
import { type Entries, type Entry, pressedButton } from "./entry.ts"
import { type Look, requestText } from "./requestText.ts"
import { words } from "./words.ts"

// Texts as answers: a number, a label, several numbers, or free text; undefined for any other message; pure.

const folded = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim().toLocaleLowerCase("en")

/** The place of the choice, from 0. */
const placeOf = (text: string, labels: ReadonlyArray<string>): number | undefined => {
  const number = /^(\d{1,3})[.)]?$/.exec(text)?.[1]
  if (number !== undefined)
    return Number(number) >= 1 && Number(number) <= labels.length ? Number(number) - 1 : undefined
  const found = labels.flatMap((label, at) => (folded(label) === folded(text) ? [at] : []))
  // An ambiguous name matches nothing.
  return found.length === 1 ? found[0] : undefined
}

const placesOf = (text: string, labels: ReadonlyArray<string>): ReadonlyArray<number> | undefined => {
  const one = placeOf(text, labels)
  if (one !== undefined) return [one]
  const places = text.split(/\s*[,;]\s*|\s+(?=\d)/).map((part) => placeOf(part.trim(), labels))
  return places.every((place) => place !== undefined) ? [...new Set(places)] : undefined
}

/** The longest answer, in characters. */
const longest = 4_000

/** `isNumbered`: the choices of a request are numbered in its text, because the channel has no buttons. */
export const actOfText = (
  requested: Asked,
  draft: Draft,
  choices: ReadonlyArray<Choice>,
  isNumbered: boolean,
  output: string
): Act | undefined => {
  const text = output.trim()
  if (text === "" || text.length > longest) return undefined
  if (requested.type === "permission_request") {
    const labels = choices.map(({ label }) => label)
    const place = isNumbered ? placeOf(text, labels) : undefined
    return place === undefined ? undefined : choices[place]?.act
  }
  const question = presentQuestion(requested, draft)
  if (question === undefined) return undefined
  const labels = question.options.map(({ label }) => label)
  const places = question.multiple ? placesOf(text, labels) : [placeOf(text, labels)].filter((at) => at !== undefined)
  if (places !== undefined && places.length > 0) {
    return { _tag: "Answer", labels: places.flatMap((place) => labels[place] ?? []) }
  }
  return question.freeText || labels.length === 0 ? { _tag: "Answer", labels: [text] } : undefined
}

const ofRequest = (
  request: PermissionRequestEvent,
  { decision, scope, message }: Extract<PressChoice, { readonly _tag: "Decide" }>
): Act | undefined => {
  if (decision === "outline") return request.kind === "plan" ? { _tag: "Decide", answer: { decision } } : undefined
  if (decision === "allow" && obstacleOf(request) !== undefined) return undefined
  if (scope !== undefined && !request.scopes.some(({ id }) => id === scope)) return undefined
  if (message !== undefined && message.length > longest) return undefined
  const remember = scope === undefined ? {} : { remember: scope }
  if (decision === "allow") return { _tag: "Decide", answer: { decision, ...remember } }
  const withMessage = message === undefined || message.trim() === "" ? {} : { message }
  return { _tag: "Decide", answer: { decision, ...remember, ...withMessage } }
}

const isAnswer = ({ options, multiple, freeText }: Question, input: ReadonlyArray<string>): boolean => {
  if (input.length === 0 || (input.length > 1 && !multiple)) return false
  if (new Set(input).size !== input.length) return false
  const isFree = freeText || options.length === 0
  return input.every(
    (text) => options.some(({ label }) => label === text) || (isFree && text.trim() !== "" && text.length <= longest)
  )
}

/** One answer for each question and none for others; without any, the agent chooses. */
const ofQuestion = ({ questions }: QuestionEvent, input: Answers | undefined): Act | undefined => {
  if (input === undefined) return { _tag: "AnswerAll", answers: undefined }
  const answers = questions.map(
    (question) => [question, Object.hasOwn(input, question.question) ? (input[question.question] ?? []) : []] as const
  )
  if (!answers.every(([question, labels]) => isAnswer(question, labels))) return undefined
  return { _tag: "AnswerAll", answers: Object.fromEntries(answers.map(([{ question }, labels]) => [question, labels])) }
}

export const actOfValue = (requested: Asked, choice: PressChoice): Act | undefined => {
  if (requested.type === "question") return choice._tag === "Answer" ? ofQuestion(requested, choice.answers) : undefined
  return choice._tag === "Decide" ? ofRequest(requested, choice) : undefined
}

interface AnsweringOptions {
  readonly entries: Entries
  readonly rows: Pick<RequestRows, "get">
  readonly board: Pick<Board, "refresh" | "sendWhole">
  readonly look: Look
  readonly acknowledge: (press: Pressed, text?: string) => Effect.Effect<void>
  readonly mayAnswer: (conversation: Conversation, sender: Sender) => boolean
  /** Forked work that waits for the channel does not hold up incoming messages. */
  readonly fork: (effect: Effect.Effect<void>) => unknown
}

/** Longest wait for the row of a request from before a restart. */
const rowWait = "300 millis"
/** Longest time that an acknowledgement delays the answer. */
const acknowledgeWait = "1 second"

const nameOf = ({ name, username, id }: Sender): string =>
  deciderOf({ person: name ?? "" }).person ?? deciderOf({ person: username ?? id }).person ?? "a person"

export const makeAnswering = (options: AnsweringOptions) => {
  const { entries, rows, board, look, acknowledge, mayAnswer, fork } = options
  const presserOf = (entry: Entry, { conversation, sender }: Pick<Pressed, "conversation" | "sender">): Presser => ({
    name: nameOf(sender),
    mayAnswer: mayAnswer(entry.conversation, sender),
    isHere: isSameConversation(entry.conversation, conversation)
  })

  const shownNow = (entry: Entry) =>
    entry.state._tag === "Open" ? requestText(entry.asked, entry.state.draft, entry.id, look) : undefined

  const showAll = Effect.fn(...untraced("Answering.showAll"))(function* (entry: Entry) {
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

  const decide = ({ session, asked: requested, conversation }: Entry, person: string, verdict: Verdict) => {
    const decider = { person, where: conversation.channel }
    if (verdict._tag === "Decided") return session.decide(requested.requestId, { ...verdict.answer, ...decider })
    if (verdict._tag === "Answered") return session.answer(requested.requestId, verdict.answers, decider)
    return Effect.void
  }

  /** Changes the state at once; `carryOut` does the rest. */
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

  /** For a button whose request is no longer in memory. */
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

  /** With several open requests, a message must reply to one. */
  const target = ({ conversation, sender, replyTo }: ChannelMessage): Entry | undefined => {
    const open = entries.openIn(conversation).filter((entry) => mayAnswer(entry.conversation, sender))
    if (replyTo !== undefined) return open.find(({ messageIds }) => messageIds.has(replyTo.messageId))
    return open.length === 1 ? open[0] : undefined
  }

  return {
    /** Returns false for the button of something else, which is not acknowledged here. */
    press: (pressed: Pressed): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const button = pressedButton(pressed.data)
        if (button === undefined) return Effect.succeed(false)
        const entry = entries.byId(button.id)
        if (entry === undefined) {
          const text = textOfRow(button.id, pressed)
          return Effect.as(
            Effect.flatMap(text, (word) => acknowledge(pressed, word)),
            true
          )
        }
        const { choice } = pressed
        const act = choice ? actOfValue(entry.asked, choice) : actOfCode(shownNow(entry)?.choices ?? [], button.code)
        const { text, carryOut } = judge(entry, act, presserOf(entry, pressed))
        const acknowledged = Effect.timeoutOption(acknowledge(pressed, text === "" ? undefined : text), acknowledgeWait)
        return Effect.as(Effect.andThen(Effect.ignoreCause(acknowledged), carryOut), true)
      }),

    /** Returns true if the message was an answer. */
    text: (message: ChannelMessage): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        if (!message.addressed || message.attachments.length > 0) return Effect.succeed(false)
        const entry = target(message)
        const current = entry && shownNow(entry)
        if (entry?.state._tag !== "Open" || current === undefined) return Effect.succeed(false)
        const { choices, isNumbered } = current
        const act = actOfText(entry.asked, entry.state.draft, choices, isNumbered, message.text)
        if (act === undefined) return Effect.succeed(false)
        return Effect.as(judge(entry, act, presserOf(entry, message)).carryOut, true)
      })
  }
}
