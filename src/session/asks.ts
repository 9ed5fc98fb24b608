/**
 * What the agent asks: may I, and what do you want? Rules answer at once, whether or not anybody hears the events; what
 * they leave to a person waits in `pending.ts`.
 */
import type { Result } from "effect"
import type { InvalidParams } from "../contract/AgentError.ts"
import type { PermissionAsk } from "../contract/Ask.ts"
import type { PlanAnswer } from "../contract/Rule.ts"
import type { Answers, QuestionEvent } from "../contract/SessionEvent.ts"
import type { AsksOptions } from "./askOptions.ts"
import { makePermissions } from "./permissions.ts"
import { makeQuestions } from "./questions.ts"

export interface Asks {
  readonly permission: (ask: PermissionAsk) => void
  /** Of what the agent would do unasked: a rule that denies holds for that, too. */
  readonly check: (callId: string, ask: PermissionAsk) => void
  readonly question: (event: QuestionEvent) => void
  /** Gives whether this was the answer. What is none is refused, and the request waits on. */
  readonly decide: (requestId: string, answer: PlanAnswer) => Result.Result<boolean, InvalidParams>
  /** Gives the same. */
  readonly answer: (requestId: string, answers: Answers | undefined) => Result.Result<boolean, InvalidParams>
  readonly withdraw: (requestId: string) => void
  readonly isWaiting: () => boolean
  readonly turnInterrupted: () => void
  /** Nothing is asked any more. */
  readonly end: () => void
}

export const makeAsks = (options: AsksOptions): Asks => {
  const permissions = makePermissions(options)
  const questions = makeQuestions(options)
  return {
    permission: permissions.ask,
    check: permissions.check,
    question: questions.ask,
    decide: permissions.decide,
    answer: questions.answer,
    withdraw: (requestId) => {
      permissions.pending.withdraw(requestId, "agent")
      questions.pending.withdraw(requestId, "agent")
    },
    isWaiting: () => !permissions.pending.isEmpty() || !questions.pending.isEmpty(),
    turnInterrupted: options.approver.reset,
    end: () => {
      permissions.pending.withdrawAll("end")
      questions.pending.withdrawAll("end")
    }
  }
}
