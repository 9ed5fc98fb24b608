/** A request or question as a message; pure. Words of agents stand in fences and quotes, as text only. */
import { obstacleOf } from "../../agents/approvals/preview.ts"
import type { PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import { formatDuration } from "../../contract/text/amounts.ts"
import { cutAt, oneLine, shortLine } from "../../contract/text/harmless.ts"
import { fence, literal, quote } from "../../conversations/export/markdownText.ts"
import type { ChannelLimits } from "../messages/Channel.ts"
import type { Button, ReplyPayload } from "../messages/ReplyPayload.ts"
import { type Asked, type Choice, choicesOf, coverOf, type Draft, presentQuestion } from "./choices.ts"
import { buttonData } from "./entry.ts"

export interface Look {
  readonly buttons: ChannelLimits["buttons"]
  /** Whether a payload fits into one message. */
  readonly isOneMessage: (payload: ReplyPayload) => boolean
  /** How long an answer is waited for. */
  readonly deadlineMs: number
}

export interface RequestText {
  readonly payload: ReplyPayload
  readonly choices: ReadonlyArray<Choice>
  /** The choices are numbered in the text, since the channel has no buttons for them. */
  readonly isNumbered: boolean
}

const longestTitle = 300
const cuts = [2000, 1000, 500, 200, 50, 0] as const

const short = (text: string, most: number) => {
  const { head, rest } = cutAt(text, most)
  return rest === 0 ? head : `${head}…`
}

export const titleOf = (requested: Asked): string =>
  shortLine(requested.type === "question" ? (requested.questions[0]?.question ?? "") : requested.title, longestTitle)

const contentOf = ({ preview, plan, command, input }: PermissionRequestEvent): string =>
  preview ?? plan ?? command ?? JSON.stringify(input, undefined, 2) ?? ""

/** All of a request, as it would be done. */
export const wholeOf = (request: PermissionRequestEvent): string => {
  const { title, reason } = request
  return [title, contentOf(request), ...(reason === undefined ? [] : [`Reason: ${reason}`])].join("\n\n")
}

const within = ({ deadlineMs }: Look) =>
  `Without an answer within ${formatDuration(deadlineMs).replace(/ 0 (s|min)$/, "")}`

const isShort = ({ label }: Choice, most: number) => {
  const { length } = oneLine(label)
  return length > 0 && length <= most
}

const buttonLabel = (choice: Choice, at: number, most: number) =>
  isShort(choice, most) ? oneLine(choice.label) : String(at + 1)

const paragraphs = (parts: ReadonlyArray<string>) => parts.filter((part) => part !== "").join("\n\n")

/** Longer labels of a request have a row of their own. */
const mostInRow = 12

const rowsOf = (buttons: ReadonlyArray<Button>): ReadonlyArray<ReadonlyArray<Button>> => {
  const isLong = ({ label }: Button) => label.length > mostInRow
  return [buttons.filter((button) => !isLong(button)), ...buttons.filter(isLong).map((button) => [button])]
}

/** Requests have one row, options of a question one each. */
const withChoices = (text: string, id: string, choices: ReadonlyArray<Choice>, { buttons }: Look, isRow: boolean) => {
  const display = choices.map((choice, at): Button => {
    return { label: buttonLabel(choice, at, buttons.label), data: buttonData(id, choice.code) }
  })
  const isNumbered =
    display.length > buttons.most ||
    display.some(({ data, label }) => data.length > buttons.data || label.length > buttons.label)
  const payload: ReplyPayload =
    isNumbered || display.length === 0
      ? { text }
      : { text, buttons: isRow ? rowsOf(display) : display.map((button) => [button]) }
  return { payload, choices, isNumbered }
}

const numbered = ({ label }: Choice, at: number) => `${at + 1}. ${literal(label)}`

/** Choices whose buttons have a number, since their labels are too long for the channel; without the first `known` ones. */
const longOnes = (choices: ReadonlyArray<Choice>, { buttons }: Look, known = 0) =>
  choices
    .flatMap((choice, at) => (at < known || isShort(choice, buttons.label) ? [] : [numbered(choice, at)]))
    .join("\n")

const textOfRequest = (
  request: PermissionRequestEvent,
  choices: ReadonlyArray<Choice>,
  look: Look,
  most: number | undefined
) => {
  const { title, reason } = request
  const content = contentOf(request)
  const { head, rest } = most === undefined ? { head: content, rest: 0 } : cutAt(content, most)
  const bounded = (text: string) => (most === undefined ? text : short(text, longestTitle))
  return paragraphs([
    `**The agent asks:** ${literal(bounded(title))}`,
    head === "" ? "" : fence(head),
    rest === 0 ? "" : `… and ${rest.toLocaleString("en-US")} characters more.`,
    reason === undefined ? "" : `Reason: ${literal(bounded(reason))}`,
    obstacleOf(request) ?? "",
    literal(coverOf(request, choices) ?? ""),
    `${within(look)} it is denied.`
  ])
}

/** The whole text if it is one message, else its longest cut that is. */
const fitting = (look: Look, display: (most?: number) => RequestText): RequestText => {
  for (const most of [undefined, ...cuts]) {
    const text = display(most)
    if (look.isOneMessage(text.payload)) return text
  }
  return display(0)
}

const shownRequest = (request: PermissionRequestEvent, draft: Draft, id: string, look: Look): RequestText =>
  fitting(look, (most) => {
    const choices = choicesOf(request, draft, most !== undefined)
    const text = textOfRequest(request, choices, look, most)
    const withButtons = withChoices(paragraphs([text, longOnes(choices, look)]), id, choices, look, true)
    if (!withButtons.isNumbered) return withButtons
    const list = choices.map(numbered).join("\n")
    return { ...withButtons, payload: { text: paragraphs([text, list, "Answer with a number."]) } }
  })

const hintOf = ({ freeText, multiple, options }: Question, isNumbered: boolean) => {
  if (options.length === 0) return "Answer with a message."
  const free = freeText ? "or write an answer of your own" : ""
  if (!isNumbered) return freeText ? "Choose, or answer with a message." : ""
  const how = multiple ? "Answer with numbers, such as 1, 2" : "Answer with a number"
  return `${[how, free].filter((part) => part !== "").join(", ")}.`
}

interface QuestionLook extends Look {
  readonly isNumbered: boolean
  /** Characters of the question. Default: all. */
  readonly most: number | undefined
}

const questionText = (event: QuestionEvent, draft: Draft, question: Question, look: QuestionLook) => {
  const { isNumbered, most } = look
  const { header, options } = question
  const count = event.questions.length === 1 ? "" : ` (${draft.answers.length + 1} of ${event.questions.length})`
  const list = options.map(({ label, description }, at) => {
    const mark = draft.marked.includes(at) ? "✓ " : ""
    const rest = description === undefined || most !== undefined ? "" : ` – ${literal(description)}`
    return `${at + 1}. ${mark}${literal(most === undefined ? label : short(label, 100))}${rest}`
  })
  return paragraphs([
    `**The agent asks${count}:**${header === undefined ? "" : ` ${literal(short(header, longestTitle))}`}`,
    quote(most === undefined ? question.question : short(question.question, most)),
    list.join("\n"),
    [hintOf(question, isNumbered), `${within(look)} the agent goes on without one.`]
      .filter((part) => part !== "")
      .join(" ")
  ])
}

const shownQuestion = (event: QuestionEvent, draft: Draft, id: string, look: Look): RequestText => {
  const question = presentQuestion(event, draft)
  const choices = choicesOf(event, draft, false)
  if (question === undefined) return { payload: { text: titleOf(event) }, choices, isNumbered: false }
  const { isNumbered } = withChoices("", id, choices, look, false)
  return fitting(look, (most) => {
    const text = questionText(event, draft, question, { ...look, isNumbered, most })
    const long = longOnes(choices, look, question.options.length)
    return withChoices(paragraphs([text, long]), id, choices, look, false)
  })
}

/** The message in the present state. `id`: of its row. */
export const requestText = (requested: Asked, draft: Draft, id: string, look: Look): RequestText =>
  requested.type === "question" ? shownQuestion(requested, draft, id, look) : shownRequest(requested, draft, id, look)

/** The message that remains at the end, without buttons. */
export const endPayload = (title: string, line: string): ReplyPayload => ({
  text: `${literal(title)}\n\n**${literal(line)}**`
})
