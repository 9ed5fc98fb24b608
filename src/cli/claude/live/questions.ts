/** `AskUserQuestion` → questions in the words that all CLIs share, and the answers back into its input (2.1.328). */
import { Predicate, Result, Schema } from "effect"
import type { Answers, Question } from "../../../contract/SessionEvent.ts"
import { decodeLeniently, wireDecoder } from "../../wireDecoder.ts"
import { flag, optional, text } from "../run/wireSystem.ts"

export const questionTool = "AskUserQuestion"

/** For the model, in place of answers. */
export const noAnswers =
  "Nobody can answer this now. That is no refusal: choose what you would recommend yourself, say which defaults you " +
  "chose, and go on with the task without asking again."

const WireQuestion = Schema.Struct({
  question: Schema.String,
  header: text,
  options: optional(
    Schema.Array(Schema.Union([Schema.String, Schema.Struct({ label: Schema.String, description: text })]))
  ),
  multiSelect: flag
})

const decode = decodeLeniently(wireDecoder(WireQuestion))

/** Several, or a single one that is the input itself. */
const questionsIn = (input: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(input, "questions") && Array.isArray(input.questions) ? input.questions : [input]

const questionOf = (question: typeof WireQuestion.Type): Question => ({
  question: question.question,
  ...(question.header ? { header: question.header } : {}),
  options: (question.options ?? []).map((option) => {
    if (Predicate.isString(option)) return { label: option }
    return { label: option.label, ...(option.description ? { description: option.description } : {}) }
  }),
  multiple: question.multiSelect === true,
  freeText: true
})

export const questionsOf = (input: unknown): ReadonlyArray<Question> =>
  questionsIn(input).flatMap((question) => {
    const decoded = decode(question)
    return Result.isSuccess(decoded) ? [questionOf(decoded.success)] : []
  })

/** The input that the tool runs with: the questions unchanged, and one text for each answered one. */
export const answered = (input: unknown, answers: Answers) => ({
  questions: questionsIn(input),
  answers: Object.fromEntries(
    Object.entries(answers).flatMap(([question, chosen]) =>
      chosen.length === 0 ? [] : [[question, chosen.join(", ")] as const]
    )
  )
})
