/** Questions of `request_user_input` (0.169.0) → those of the session, and answers by question → answers by id. */
import type { Answers, Question } from "../../../contract/SessionEvent.ts"
import type { WireQuestion } from "./wire.ts"

export const questionOf = ({ question, header, options, isOther }: WireQuestion): Question => ({
  question: question ?? "",
  ...(header == null ? {} : { header }),
  options: (options ?? []).map(({ label, description }) => ({
    label: label ?? "",
    ...(description == null ? {} : { description })
  })),
  multiple: false,
  freeText: isOther === true || (options ?? []).length === 0
})

/** An empty answer would leave the model guessing. */
const noAnswer = "(no answer: use your own default)"

export const answersOf = (questions: ReadonlyArray<WireQuestion>, answers: Answers | undefined) => {
  const given = new Map(Object.entries(answers ?? {}))
  const entries = questions.map(({ id, question }) => [id, { answers: given.get(question ?? "") ?? [noAnswer] }])
  return { answers: Object.fromEntries(entries) }
}
