/**
 * Choices of a request or question in its present state; pure. A request that was not shown completely cannot be
 * allowed. Button payloads contain codes: those of a question include its number, so that a button of the previous
 * question chooses nothing.
 */
import { obstacleOf } from "../../agents/approvals/preview.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers, PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"

export type Asked = PermissionRequestEvent | QuestionEvent

/** How far people have come with it. */
export interface Draft {
  /** All of a request that is longer than a message was sent. */
  readonly isShown: boolean
  /** Answers to the earlier questions. */
  readonly answers: ReadonlyArray<ReadonlyArray<string>>
  /** Numbers of the options that are chosen, where several can be. */
  readonly marked: ReadonlyArray<number>
}

export const untouched: Draft = { isShown: false, answers: [], marked: [] }

export type Act =
  | { readonly _tag: "Decide"; readonly answer: PlanAnswer }
  | { readonly _tag: "Answer"; readonly labels: ReadonlyArray<string> }
  /** To all questions at once; undefined: the agent chooses. */
  | { readonly _tag: "AnswerAll"; readonly answers: Answers | undefined }
  | { readonly _tag: "Mark"; readonly option: number }
  | { readonly _tag: "ShowAll" }

export interface Choice {
  readonly code: string
  readonly label: string
  readonly act: Act
}

const decide = (code: string, label: string, answer: PlanAnswer): Choice => ({
  code,
  label,
  act: { _tag: "Decide", answer }
})

const deny = decide("d", "Deny", { decision: "deny" })
const outline = decide("o", "Outline", { decision: "outline" })
const allow = decide("a", "Allow", { decision: "allow" })
/** Exactly this request, in this live session. */
const always = decide("w", "Always", { decision: "allow", remember: true })
const showAll: Choice = { code: "s", label: "Show all", act: { _tag: "ShowAll" } }

const ofRequest = (request: PermissionRequestEvent, { isShown }: Draft, isLong: boolean): ReadonlyArray<Choice> => {
  const further = request.kind === "plan" ? [outline] : []
  if (obstacleOf(request) !== undefined) return [...further, deny]
  if (isLong && !isShown) return [showAll, ...further, deny]
  const remembered = request.scopes.some(({ id }) => id === "exact") ? [always] : []
  return [allow, ...remembered, ...further, deny]
}

/** The question that is asked now; undefined once all are answered. */
export const presentQuestion = ({ questions }: QuestionEvent, { answers }: Draft): Question | undefined =>
  questions[answers.length]

const ofQuestion = (event: QuestionEvent, draft: Draft): ReadonlyArray<Choice> => {
  const question = presentQuestion(event, draft)
  if (question === undefined) return []
  const at = draft.answers.length
  const options = question.options.map(({ label }, option): Choice => {
    const code = `q${at}.${option}`
    if (!question.multiple) return { code, label, act: { _tag: "Answer", labels: [label] } }
    const isMarked = draft.marked.includes(option)
    return { code, label: isMarked ? `✓ ${label}` : label, act: { _tag: "Mark", option } }
  })
  if (!question.multiple || options.length === 0) return options
  const labels = question.options.flatMap(({ label }, option) => (draft.marked.includes(option) ? [label] : []))
  return [...options, { code: `n${at}`, label: "Send", act: { _tag: "Answer", labels } }]
}

/** `isLong`: a request that is longer than a message. */
export const choicesOf = (requested: Asked, draft: Draft, isLong: boolean): ReadonlyArray<Choice> =>
  requested.type === "question" ? ofQuestion(requested, draft) : ofRequest(requested, draft, isLong)
