/** Permission requests and questions of the agent. Rules answer at once; requests for a person wait in `pending.ts`. */
import { Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { toMillis } from "../../contract/Input.ts"
import { type Decider, defaultDeadline, type PermissionAsk, type PlanAnswer } from "../../contract/Rule.ts"
import { Answers, type DecidedBy, type QuestionEvent } from "../../contract/SessionEvent.ts"
import { type AnswerProblem, type AsksOptions, deadlineOf, makePending, nested } from "./pending.ts"
import { deciderOf, deciderProblem, makePermissions } from "./permissions.ts"

const isAnswers = Schema.is(Answers)

const answersProblem = (answers: unknown): AnswerProblem | undefined =>
  answers === undefined || isAnswers(answers)
    ? undefined
    : { option: "answers", problem: "must be an object with a list of strings for each question" }

/** The questions of a live session, from the dialogue to their answer; answered at once if no handler is set. */
const makeQuestions = (options: AsksOptions, open: Set<string>) => {
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

  const ask = (request: QuestionEvent) => {
    if (questions === "off") {
      give(request)
      conclude(request, undefined, "rule")
      return
    }
    const { handler, deadline = defaultDeadline } = questions
    const waitMs = toMillis(deadline)
    const question = { ...request, ...deadlineOf(clock, waitMs) }
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

export type Asks = ReturnType<typeof makeAsks>

const maxIds = 10_000
const maxIdLength = 200

/** The ids of the last requests and questions. Ids longer than those of any agent are not kept, and count as known. */
const makeLastIds = () => {
  const ids = new Set<string>()
  return {
    add: (id: string) => {
      if (id.length > maxIdLength) return
      ids.add(id)
      const [oldest] = ids
      if (ids.size > maxIds && oldest !== undefined) ids.delete(oldest)
    },
    problem: (id: unknown) => {
      if (typeof id !== "string") return "is not text: pass the `requestId` of the event"
      return ids.has(id) || id.length > maxIdLength ? undefined : "is of no request or question of this session"
    }
  }
}

export const makeAsks = (options: AsksOptions) => {
  const open = new Set<string>()
  const permissions = makePermissions(options, open)
  const questions = makeQuestions(options, open)
  const ids = makeLastIds()
  let isOver = false

  const checked = (id: unknown, result: Result.Result<boolean, InvalidParams>) => {
    const problem = ids.problem(id)
    if (Result.isFailure(result) || result.success || isOver || problem === undefined) return result
    return Result.fail(new InvalidParams({ option: "requestId", problem }))
  }

  return {
    permission: (ask: PermissionAsk) => {
      ids.add(ask.requestId)
      permissions.ask(ask)
    },
    /** For calls that the agent makes without asking: a denying rule applies to them, too. */
    check: (callId: string, ask: PermissionAsk) => {
      ids.add(ask.requestId)
      permissions.check(callId, ask)
    },
    question: (event: QuestionEvent) => {
      ids.add(event.requestId)
      questions.ask(event)
    },
    /**
     * Returns false if it needs no answer any more. An invalid answer is refused, and the request stays open; so is an id
     * that none of the last 10,000 requests and questions had.
     */
    decide: (requestId: string, answer: PlanAnswer) => checked(requestId, permissions.decide(requestId, answer)),
    /** Returns like `decide`. */
    answer: (requestId: string, answers: Answers | undefined, decider?: Decider) =>
      checked(requestId, questions.answer(requestId, answers, decider)),
    withdraw: (requestId: string) => {
      permissions.pending.withdraw(requestId, "agent")
      questions.pending.withdraw(requestId, "agent")
    },
    /** Ids of the requests and questions that wait for an answer. */
    open,
    turnInterrupted: options.approver.reset,
    /** Withdraws all open requests and questions. */
    end: () => {
      isOver = true
      permissions.pending.withdrawAll("end")
      questions.pending.withdrawAll("end")
    }
  }
}
