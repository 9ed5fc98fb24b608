/**
 * The life of a request: `Open → Answered(by) | Over(why)`, and the effect of a press or a text; pure. Only an open
 * request is changed, and only by a person who may answer it, in its own conversation: anything else gets a text, and
 * nothing is written.
 */

import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers } from "../../contract/SessionEvent.ts"
import { type Act, type Asked, type Choice, type Draft, presentQuestion } from "./choices.ts"
import { words } from "./words.ts"

export type RequestState =
  | { readonly _tag: "Open"; readonly draft: Draft }
  /** `by`: the name of a person, where it is known. */
  | { readonly _tag: "Answered"; readonly by: string | undefined }
  | { readonly _tag: "Over" }

/** Who pressed or wrote. */
export interface Presser {
  readonly name: string
  /** They have the role for it. */
  readonly mayAnswer: boolean
  /** It is the conversation of the request. */
  readonly isHere: boolean
}

/** `text`: for the presser's eyes. Without a `state` nothing changes. */
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

/** Why nothing can come of it, whatever was chosen. */
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

/** The outcome of an act that was found among the choices or in a text. */
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
      return { _tag: "Decided", text: decided[answer.decision], state: { _tag: "Answered", by: presser.name }, answer }
    }
  }
}

/** The choice of a button, as the request stands now. */
export const actOfCode = (choices: ReadonlyArray<Choice>, code: string): Act | undefined =>
  choices.find((choice) => choice.code === code)?.act
