/**
 * What the agent asks: may I, and what do you want? Rules answer at once, whether or not anybody hears the events; what
 * they leave to a person waits in `pending.ts`.
 */
import { resolve } from "node:path"
import { Duration, type Effect } from "effect"
import type { AgentEvent } from "../AgentEvent.ts"
import type { AgentOpenParams } from "../AgentOpenParams.ts"
import { defaultDeadline, type PlanAnswer } from "../Approvals.ts"
import { isAnswers, isPlanAnswer } from "../approvals/answers.ts"
import type { Approver } from "../approvals/approver.ts"
import { previewOf } from "../approvals/preview.ts"
import type { Decision, Dialogue, Output, PermissionAsk } from "../cli/Live.ts"
import type { Answers, DecidedBy, PermissionRequestEvent, QuestionEvent } from "../SessionEvent.ts"
import { makePending } from "./pending.ts"

export interface AsksOptions {
  readonly questions: AgentOpenParams["questions"]
  readonly workingDirectory: string
  readonly approver: Approver
  readonly dialogue: Pick<Dialogue, "decide" | "answer" | "reply">
  readonly give: (event: AgentEvent) => void
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  /** Whether a line can still reach the CLI. */
  readonly isWritable: () => boolean
  readonly fork: (effect: Effect.Effect<void>) => void
}

export interface Asks {
  readonly permission: (ask: PermissionAsk) => void
  /** Of what the agent would do unasked: a rule that denies holds for that, too. */
  readonly check: (callId: string, ask: PermissionAsk) => void
  readonly question: (event: QuestionEvent) => void
  /** Gives whether this was the answer. */
  readonly decide: (requestId: string, answer: PlanAnswer) => boolean
  /** Gives whether this was the answer. */
  readonly answer: (requestId: string, answers: Answers | undefined) => boolean
  readonly withdraw: (requestId: string) => void
  readonly isWaiting: () => boolean
  readonly turnInterrupted: () => void
  /** Nothing is asked any more. */
  readonly end: () => void
}

const nested = ({ parentToolId }: { readonly parentToolId?: string }) =>
  parentToolId === undefined ? {} : { parentToolId }

const requestOf = (ask: PermissionAsk, workingDirectory: string): PermissionRequestEvent => {
  const { edits: _edits, takesInput: _takesInput, paths, ...told } = ask
  const absolute = paths === undefined ? {} : { paths: paths.map((path) => resolve(workingDirectory, path)) }
  return { type: "permission_request", ...told, ...absolute }
}

/** To call the tool as it was would do what nobody has allowed. */
const unchangeable: Decision = {
  decision: "deny",
  message: "The user wants this called with another input, which could not be handed over. Ask how to go on."
}

const decisionEvent = (request: PermissionRequestEvent, decision: Decision, by: DecidedBy): AgentEvent => ({
  type: "permission_decision",
  requestId: request.requestId,
  decision: decision.decision,
  by,
  ...(decision.decision === "deny" ? { message: decision.message } : {}),
  ...(decision.decision === "allow" && decision.input !== undefined ? { input: decision.input } : {}),
  ...nested(request)
})

const makePermissions = ({ approver, dialogue, workingDirectory, give, perform, isWritable, fork }: AsksOptions) => {
  const pending = makePending<PlanAnswer>(fork, isPlanAnswer)

  const withdrawn = (request: PermissionRequestEvent, by: DecidedBy) => {
    const { requestId } = request
    give({ type: "permission_decision", requestId, decision: "withdrawn", by, ...nested(request) })
  }

  const tell = (request: PermissionRequestEvent, given: Decision, takesInput: boolean, by: DecidedBy) => {
    if (!isWritable()) {
      withdrawn(request, "end")
      return false
    }
    const isPossible = takesInput || given.decision === "deny" || given.input === undefined
    const decision = isPossible ? given : unchangeable
    if (!isPossible) {
      const message = `${request.toolName} was denied: this agent takes no changed input`
      give({ type: "notice", kind: "warning", message, data: { requestId: request.requestId } })
    }
    give(decisionEvent(request, decision, by))
    perform(dialogue.decide(request.requestId, decision))
    return true
  }

  const ask = (asked: PermissionAsk) => {
    const request = requestOf(asked, workingDirectory)
    const { takesInput } = asked
    const ruling = approver.consider(request)
    if (ruling._tag === "Decided") {
      give(request)
      tell(request, ruling.decision, takesInput, ruling.by)
      return
    }
    const preview = previewOf(asked)
    const shown = preview === undefined ? request : { ...request, preview }
    const { handler, deadlineMs, otherwise } = ruling
    give(shown)
    pending.add({
      requestId: request.requestId,
      handler: handler === undefined ? undefined : (context) => handler(shown, context),
      deadlineMs,
      otherwise,
      settle: (answer, by) => tell(request, approver.conclude(request, answer), takesInput, by),
      withdrawn: (by) => withdrawn(request, by)
    })
  }

  const check = (callId: string, checked: PermissionAsk) => {
    const request = requestOf(checked, workingDirectory)
    const denial = approver.forbids(request)
    if (denial !== undefined) {
      give(request)
      give(decisionEvent(request, denial, "rule"))
    }
    perform(dialogue.reply(callId, denial?.message))
  }
  return { pending, ask, check }
}

const makeQuestions = ({ questions = "off", dialogue, give, perform, isWritable, fork }: AsksOptions) => {
  const pending = makePending<Answers | undefined>(fork, isAnswers)

  const tell = (question: QuestionEvent, answers: Answers | undefined, by: DecidedBy) => {
    const { requestId } = question
    const isTold = isWritable()
    if (isTold) perform(dialogue.answer(requestId, answers))
    const told = isTold && answers !== undefined ? { answers } : {}
    give({ type: "question_answer", requestId, by: isTold ? by : "end", ...told, ...nested(question) })
    return isTold
  }

  const ask = (question: QuestionEvent) => {
    give(question)
    if (questions === "off") {
      tell(question, undefined, "rule")
      return
    }
    const { handler, deadline = defaultDeadline } = questions
    const { requestId } = question
    pending.add({
      requestId,
      handler: handler === undefined ? undefined : (context) => handler(question, context),
      deadlineMs: Duration.toMillis(deadline),
      otherwise: undefined,
      settle: (answers, by) => tell(question, answers, by),
      withdrawn: (by) => give({ type: "question_answer", requestId, by, ...nested(question) })
    })
  }
  return { pending, ask }
}

export const makeAsks = (options: AsksOptions): Asks => {
  const permissions = makePermissions(options)
  const questions = makeQuestions(options)
  return {
    permission: permissions.ask,
    check: permissions.check,
    question: questions.ask,
    decide: (requestId, answer) => permissions.pending.settle(requestId, answer, "caller"),
    answer: (requestId, answers) => questions.pending.settle(requestId, answers, "caller"),
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
