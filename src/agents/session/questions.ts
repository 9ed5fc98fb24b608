/** The questions of a live session, from the dialogue to their answer; answered at once if nobody is to be asked. */
import { Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { toMillis } from "../../contract/checkInput.ts"
import type { Decider } from "../../contract/Rule.ts"
import { defaultDeadline } from "../../contract/rules.ts"
import { Answers, type DecidedBy, type QuestionEvent } from "../../contract/SessionEvent.ts"
import { deciderOf, deciderProblem } from "./decider.ts"
import { type AnswerProblem, type AsksOptions, deadlineOf, makePending, nested } from "./pending.ts"

const isAnswers = Schema.is(Answers)

/** Plain JavaScript has no types. */
const answersProblem = (answers: unknown): AnswerProblem | undefined =>
  answers === undefined || isAnswers(answers)
    ? undefined
    : { option: "answers", problem: "must be an object with a list of strings for each question" }

export const makeQuestions = (options: AsksOptions, open: Set<string>) => {
  const { questions = "off", dialogue, give, perform, isWritable, fork, clock } = options
  const pending = makePending<Answers | undefined>(open, fork, answersProblem)

  const conclude = (question: QuestionEvent, answers: Answers | undefined, by: DecidedBy, decider: Decider = {}) => {
    const { requestId } = question
    const isWritten = isWritable()
    if (isWritten) perform(dialogue.answer(requestId, answers))
    const answered = isWritten && answers !== undefined ? { answers } : {}
    const origin = isWritten ? { by, ...deciderOf(decider) } : { by: "end" as const }
    give({ type: "question_answer", requestId, ...origin, ...answered, ...nested(question) })
    return isWritten
  }

  const ask = (asked: QuestionEvent) => {
    if (questions === "off") {
      give(asked)
      conclude(asked, undefined, "rule")
      return
    }
    const { handler, deadline = defaultDeadline } = questions
    const waitMs = toMillis(deadline)
    const question = { ...asked, ...deadlineOf(clock, waitMs) }
    const { requestId } = question
    give(question)
    pending.add({
      requestId,
      handler: handler === undefined ? undefined : (context) => handler(question, context),
      waitMs,
      otherwise: () => undefined,
      resolve: (answers, by, decider) => conclude(question, answers, by, decider),
      withdrawn: (by) => give({ type: "question_answer", requestId, by, ...nested(question) })
    })
  }

  const answer = (requestId: string, answers: Answers | undefined, decider?: Decider) => {
    const invalid = answersProblem(answers) ?? deciderProblem(decider)
    if (invalid !== undefined) return Result.fail(new InvalidParams(invalid))
    return Result.succeed(pending.resolve(requestId, answers, "caller", decider))
  }
  return { pending, ask, answer }
}
