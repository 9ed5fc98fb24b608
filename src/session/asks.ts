/**
 * What the agent asks: may I, and what do you want? Rules answer at once, whether or not anybody hears the events; what
 * they leave to a person waits in `pending.ts`.
 */
import { Duration, type Effect, Result } from "effect"
import { InvalidParams } from "../AgentError.ts"
import type { AgentEvent } from "../AgentEvent.ts"
import type { AgentOpenParams } from "../AgentOpenParams.ts"
import { defaultDeadline, type PlanAnswer } from "../Approvals.ts"
import { answersProblem, planAnswerProblem, scopeProblem } from "../approvals/answers.ts"
import type { Approver, Concluded } from "../approvals/approver.ts"
import { type Judged, judgedOf } from "../approvals/judged.ts"
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
  /** Milliseconds since 1970. */
  readonly now: () => number
}

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

const nested = ({ parentToolId }: { readonly parentToolId?: string }) =>
  parentToolId === undefined ? {} : { parentToolId }

/** What the agent is told of a denial that says nothing itself: who it comes from. */
const bareMessages: { readonly [By in DecidedBy]?: string } = {
  caller: "The user denied this.",
  handler: "The application denied this."
}

/** What the agent is told where nobody has decided. */
const undecided = (waitMs: number) => ({
  deadline: `Nobody answered within ${waitMs / 1000} s.`,
  handler: "The function that decides on this failed: nobody has decided."
})

/** To call the tool as it was would do what nobody has allowed. */
const unchangeable: Decision = {
  decision: "deny",
  message: "The user wants this called with another input, which could not be handed over. Ask how to go on."
}

const decisionEvent = (
  request: PermissionRequestEvent,
  { decision, remembered }: Concluded,
  by: DecidedBy
): AgentEvent => ({
  type: "permission_decision",
  requestId: request.requestId,
  decision: decision.decision,
  by,
  ...(decision.decision === "deny" ? { message: decision.message } : {}),
  ...(decision.decision === "allow" && decision.input !== undefined ? { input: decision.input } : {}),
  ...(remembered === undefined ? {} : { remembered }),
  ...nested(request)
})

/** Undefined for a wait without end. */
const untilMs = (now: () => number, waitMs: number) =>
  Number.isFinite(waitMs) ? { deadlineMs: now() + waitMs } : undefined

const makePermissions = (options: AsksOptions) => {
  const { approver, dialogue, workingDirectory, give, perform, isWritable, fork, now } = options
  const pending = makePending<PlanAnswer>(fork, planAnswerProblem)
  const waiting = new Map<string, PermissionRequestEvent>()

  const withdrawn = (request: PermissionRequestEvent, by: DecidedBy) => {
    const { requestId } = request
    waiting.delete(requestId)
    give({ type: "permission_decision", requestId, decision: "withdrawn", by, ...nested(request) })
  }

  const warn = ({ requestId }: PermissionRequestEvent, message: string) =>
    give({ type: "notice", kind: "warning", message, data: { requestId } })

  const tell = (request: PermissionRequestEvent, given: Concluded, takesInput: boolean, by: DecidedBy) => {
    if (!isWritable()) {
      withdrawn(request, "end")
      return false
    }
    const { decision } = given
    const isPossible = takesInput || decision.decision === "deny" || decision.input === undefined
    const concluded = isPossible ? given : { decision: unchangeable }
    if (!isPossible) warn(request, `${request.toolName} was denied: this agent takes no changed input`)
    give(decisionEvent(request, concluded, by))
    perform(dialogue.decide(request.requestId, concluded.decision))
    return true
  }

  const settled = (asked: Judged, takesInput: boolean) => (answer: PlanAnswer, by: DecidedBy) => {
    const { request, grants } = asked
    waiting.delete(request.requestId)
    const bareMessage = bareMessages[by]
    const wrong = scopeProblem(request, answer)
    if (wrong !== undefined) warn(request, `The answer is not remembered: ${wrong.option} ${wrong.problem}`)
    const context = { grants, ...(bareMessage === undefined ? {} : { bareMessage }) }
    return tell(request, approver.conclude(request, answer, context), takesInput, by)
  }

  const ask = (asked: PermissionAsk) => {
    const judged = judgedOf(asked, workingDirectory)
    const { request } = judged
    const { takesInput } = asked
    const ruling = approver.consider(request)
    if (ruling._tag === "Decided") {
      give(request)
      tell(request, ruling, takesInput, ruling.by)
      return
    }
    const { handler, waitMs, otherwise } = ruling
    const shown = { ...request, preview: judged.preview(), ...untilMs(now, waitMs) }
    give(shown)
    waiting.set(request.requestId, request)
    const reasons = undecided(waitMs)
    pending.add({
      requestId: request.requestId,
      handler: handler === undefined ? undefined : (context) => handler(shown, context),
      waitMs,
      otherwise: (why) => (otherwise === "allow" ? { decision: "allow" } : { decision: "deny", message: reasons[why] }),
      settle: settled(judged, takesInput),
      withdrawn: (by) => withdrawn(request, by)
    })
  }

  const check = (callId: string, checked: PermissionAsk) => {
    const { request } = judgedOf(checked, workingDirectory)
    const denial = approver.forbids(request)
    if (denial !== undefined) {
      give(request)
      give(decisionEvent(request, { decision: denial }, "rule"))
    }
    perform(dialogue.reply(callId, denial?.message))
  }

  const decide = (requestId: string, answer: PlanAnswer) => {
    const request = waiting.get(requestId)
    const wrong = planAnswerProblem(answer) ?? (request && scopeProblem(request, answer))
    if (wrong !== undefined) return Result.fail(new InvalidParams(wrong))
    return Result.succeed(pending.settle(requestId, answer, "caller"))
  }
  return { pending, ask, check, decide }
}

const makeQuestions = (options: AsksOptions) => {
  const { questions = "off", dialogue, give, perform, isWritable, fork, now } = options
  const pending = makePending<Answers | undefined>(fork, answersProblem)

  const tell = (question: QuestionEvent, answers: Answers | undefined, by: DecidedBy) => {
    const { requestId } = question
    const isTold = isWritable()
    if (isTold) perform(dialogue.answer(requestId, answers))
    const told = isTold && answers !== undefined ? { answers } : {}
    give({ type: "question_answer", requestId, by: isTold ? by : "end", ...told, ...nested(question) })
    return isTold
  }

  const ask = (asked: QuestionEvent) => {
    if (questions === "off") {
      give(asked)
      tell(asked, undefined, "rule")
      return
    }
    const { handler, deadline = defaultDeadline } = questions
    const waitMs = Duration.toMillis(deadline)
    const question = { ...asked, ...untilMs(now, waitMs) }
    const { requestId } = question
    give(question)
    pending.add({
      requestId,
      handler: handler === undefined ? undefined : (context) => handler(question, context),
      waitMs,
      otherwise: () => undefined,
      settle: (answers, by) => tell(question, answers, by),
      withdrawn: (by) => give({ type: "question_answer", requestId, by, ...nested(question) })
    })
  }

  const answer = (requestId: string, answers: Answers | undefined) => {
    const wrong = answersProblem(answers)
    if (wrong !== undefined) return Result.fail(new InvalidParams(wrong))
    return Result.succeed(pending.settle(requestId, answers, "caller"))
  }
  return { pending, ask, answer }
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
