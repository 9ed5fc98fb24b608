/**
 * Permission requests and questions of the agent. Rules answer at once, independent of consumers of the events; requests for
 * a person wait in `pending.ts`.
 */
import type { Result } from "effect"
import type { InvalidParams } from "../contract/AgentError.ts"
import type { PermissionAsk } from "../contract/Ask.ts"
import type { Answers, QuestionEvent } from "../contract/SessionEvent.ts"
import type { PlanAnswer } from "../types/Rule.ts"
import type { AsksOptions } from "./pending.ts"
import { makePermissions } from "./permissions.ts"
import { makeQuestions } from "./questions.ts"

export interface Asks {
  readonly permission: (ask: PermissionAsk) => void
  /** For calls that the agent makes without asking: a denying rule applies to them, too. */
  readonly check: (callId: string, ask: PermissionAsk) => void
  readonly question: (event: QuestionEvent) => void
  /** False if it needs no answer any more. An invalid answer is refused, and the request stays open. */
  readonly decide: (requestId: string, answer: PlanAnswer) => Result.Result<boolean, InvalidParams>
  /** Returns like `decide`. */
  readonly answer: (requestId: string, answers: Answers | undefined) => Result.Result<boolean, InvalidParams>
  readonly withdraw: (requestId: string) => void
  /** Ids of the requests and questions that wait for an answer. */
  readonly open: ReadonlySet<string>
  readonly turnInterrupted: () => void
  /** Withdraws all open requests and questions. */
  readonly end: () => void
}

export const makeAsks = (options: AsksOptions): Asks => {
  const open = new Set<string>()
  const permissions = makePermissions(options, open)
  const questions = makeQuestions(options, open)
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
    open,
    turnInterrupted: options.approver.reset,
    end: () => {
      permissions.pending.withdrawAll("end")
      questions.pending.withdrawAll("end")
    }
  }
}
