/**
 * Choices of a request, and the effect of choosing; pure. A request that was not shown completely cannot be allowed.
 * Codes of a question include its number, so that a button of the previous question chooses nothing.
 */
import { editsScope, editsScopeOf } from "../../agents/approvals/plannedEdits.ts"
import { obstacleOf } from "../../agents/approvals/preview.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers, PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import { words } from "./words.ts"

export type Asked = PermissionRequestEvent | QuestionEvent

/** How far people have come with a request. */
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

const decide = (code: string, label: string, answer: PlanAnswer): Choice => {
  return { code, label, act: { _tag: "Decide", answer } }
}

const deny = decide("d", "Deny", { decision: "deny" })
const outline = decide("o", "Outline", { decision: "outline" })
const allow = decide("a", "Allow", { decision: "allow" })
/** Exactly this request, in this live session. */
const always = decide("w", "Always", { decision: "allow", remember: true })
/** A plan, and its edits in this turn. */
const withEdits = decide("e", "Allow the plan and its edits", { decision: "allow", remember: editsScope })
const showAll: Choice = { code: "s", label: "Show all", act: { _tag: "ShowAll" } }

const ofRequest = (request: PermissionRequestEvent, { isShown }: Draft, isLong: boolean): ReadonlyArray<Choice> => {
  const further = request.kind === "plan" ? [outline] : []
  if (obstacleOf(request) !== undefined) return [...further, deny]
  if (isLong && !isShown) return [showAll, ...further, deny]
  const remembered = request.scopes.some(({ id }) => id === "exact") ? [always] : []
  const edits = editsScopeOf(request) === undefined ? [] : [withEdits]
  return [allow, ...remembered, ...edits, ...further, deny]
}

/** A sentence about all that the choice covers, where its label does not say it. */
export const coverOf = (request: PermissionRequestEvent, choices: ReadonlyArray<Choice>): string | undefined =>
  choices.includes(withEdits) ? `${withEdits.label}: ${editsScopeOf(request)?.covers}` : undefined

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

/** Only an open request changes, only by a person who may answer it, and only in its own conversation. */
export type RequestState =
  | { readonly _tag: "Open"; readonly draft: Draft }
  /** `by`: the name of a person, where it is known. `isOutline`: a plan was sent back for an outline. */
  | { readonly _tag: "Answered"; readonly by: string | undefined; readonly isOutline?: true }
  | { readonly _tag: "Over" }

/** The person who pressed or wrote. */
export interface Presser {
  readonly name: string
  readonly mayAnswer: boolean
  /** Whether it is the conversation of the request. */
  readonly isHere: boolean
}

/** `text`: for the presser only. Without a `state` nothing changes. */
export type Verdict =
  | { readonly _tag: "Refused"; readonly text: string }
  | { readonly _tag: "ShowAll"; readonly text: string }
  | { readonly _tag: "Drafted"; readonly text: string; readonly state: RequestState }
  | { readonly _tag: "Decided"; readonly text: string; readonly state: RequestState; readonly answer: PlanAnswer }
  | {
      readonly _tag: "Answered"
      readonly text: string
      readonly state: RequestState
      readonly answers: Answers | undefined
    }

const refused = (text: string): Verdict => ({ _tag: "Refused", text })

/** Reason to refuse any choice. */
const obstacle = (state: RequestState, { mayAnswer, isHere }: Presser): string | undefined => {
  if (!mayAnswer || !isHere) return words.notYours
  if (state._tag === "Over") return words.over
  if (state._tag === "Open") return undefined
  return state.by === undefined ? words.answered : words.answeredBy(state.by)
}

const marking = (draft: Draft, option: number): Draft => ({
  ...draft,
  marked: draft.marked.includes(option) ? draft.marked.filter((each) => each !== option) : [...draft.marked, option]
})

const answering = (request: Asked, draft: Draft, labels: ReadonlyArray<string>, by: string): Verdict => {
  if (request.type !== "question" || presentQuestion(request, draft) === undefined) return refused(words.gone)
  if (labels.length === 0) return refused(words.chooseFirst)
  const input = [...draft.answers, labels]
  if (input.length < request.questions.length) {
    return {
      _tag: "Drafted",
      text: words.taken,
      state: { _tag: "Open", draft: { ...draft, answers: input, marked: [] } }
    }
  }
  const answers = Object.fromEntries(request.questions.map(({ question }, at) => [question, input[at] ?? []]))
  return { _tag: "Answered", text: words.taken, state: { _tag: "Answered", by }, answers }
}

const decided = { allow: "allowed", deny: "denied", outline: "an outline is asked for" } as const

export const perform = (request: Asked, state: RequestState, act: Act | undefined, presser: Presser): Verdict => {
  const problem = obstacle(state, presser)
  if (problem !== undefined || state._tag !== "Open") return refused(problem ?? words.over)
  if (act === undefined) return refused(words.gone)
  const { draft } = state
  switch (act._tag) {
    case "ShowAll":
      return { _tag: "ShowAll", text: words.sending }
    case "Mark":
      return { _tag: "Drafted", text: "", state: { _tag: "Open", draft: marking(draft, act.option) } }
    case "Answer":
      return answering(request, draft, act.labels, presser.name)
    case "AnswerAll":
      return {
        _tag: "Answered",
        text: words.taken,
        state: { _tag: "Answered", by: presser.name },
        answers: act.answers
      }
    case "Decide": {
      const { answer } = act
      const outline = answer.decision === "outline" ? ({ isOutline: true } as const) : {}
      const state = { _tag: "Answered", by: presser.name, ...outline } as const
      return { _tag: "Decided", text: decided[answer.decision], state, answer }
    }
  }
}

export const actOfCode = (choices: ReadonlyArray<Choice>, code: string): Act | undefined =>
  choices.find((choice) => choice.code === code)?.act
