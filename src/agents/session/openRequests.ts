/**
 * Open requests: what an agent asks of a person, permissions and questions. A rule answers at once; else the first of a
 * handler, the caller and the deadline counts.
 */
import { type Clock, Deferred, Effect, Result } from "effect"
import { boundedFacts } from "../../cli/boundedFacts.ts"
import type { Dialogue, Output } from "../../cli/Live.ts"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { type Eventually, eventually, toMillis } from "../../contract/Input.ts"
import {
  type AskContext,
  type Decider,
  defaultDeadline,
  type PermissionAsk,
  type PlanAnswer
} from "../../contract/Rule.ts"
import type { Answers, DecidedBy, PermissionRequestEvent, QuestionEvent } from "../../contract/SessionEvent.ts"
import type { Approver, Concluded } from "../approvals/approver.ts"
import { type RequestedPermission, requestEventOf } from "../approvals/requestEvent.ts"
import {
  type AnswerProblem,
  answersProblem,
  bareMessages,
  deciderOf,
  deciderProblem,
  decisionEvent,
  nested,
  planAnswerProblem,
  scopeProblem,
  unchangeable,
  undecided
} from "./answers.ts"

export interface OpenRequestsOptions {
  readonly questions: AgentOpenParams["questions"]
  readonly workingDirectory: string
  readonly approver: Approver
  readonly dialogue: Pick<Dialogue, "decide" | "answer" | "reply">
  readonly give: (event: AgentEvent) => void
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  readonly isWritable: () => boolean
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Called before the CLI is told that its plan is allowed. */
  readonly planAllowed: () => void
  readonly clock: Pick<Clock.Clock, "currentTimeMillisUnsafe">
}

/** Returns undefined for an infinite wait. */
const deadlineOf = (clock: OpenRequestsOptions["clock"], waitMs: number) =>
  Number.isFinite(waitMs) ? { deadlineMs: clock.currentTimeMillisUnsafe() + waitMs } : undefined

type Waiting<Answer> = {
  readonly requestId: string
  readonly handler: ((context: AskContext) => Eventually<Answer>) | undefined
  /** Infinite without a deadline. */
  readonly waitMs: number
  /** The answer after the deadline, or if the handler fails or returns an invalid answer. */
  readonly otherwise: (why: "deadline" | "handler", invalid?: AnswerProblem) => Answer
  /** Passes the answer to the agent; false if it cannot be reached any more. */
  readonly resolve: (answer: Answer, by: DecidedBy, decider?: Decider) => boolean
  readonly withdrawn: (by: DecidedBy) => void
}

interface Entry<Answer> extends Waiting<Answer> {
  readonly release: () => void
}

/** `open`: ids of pending requests. `problemOf` checks answers of handlers, which may be written in plain JavaScript. */
const makePending = <Answer>(
  open: Set<string>,
  fork: OpenRequestsOptions["fork"],
  problemOf: (answer: unknown) => AnswerProblem | undefined
) => {
  const entries = new Map<string, Entry<Answer>>()

  const take = (requestId: string) => {
    const entry = entries.get(requestId)
    if (entry === undefined) return undefined
    entries.delete(requestId)
    open.delete(requestId)
    entry.release()
    return entry
  }

  /** Returns false if it needs no answer any more. */
  const resolve = (requestId: string, answer: Answer, by: DecidedBy, decider?: Decider): boolean =>
    take(requestId)?.resolve(answer, by, decider) ?? false

  const handled = ({ requestId, handler, otherwise }: Waiting<Answer>, signal: AbortSignal) => {
    if (handler === undefined) return Effect.never
    const wellFormed = (answer: Answer): Effect.Effect<Answer> => {
      const invalid = problemOf(answer)
      if (invalid === undefined) return Effect.succeed(answer)
      const problem = `the handler returned an invalid answer: ${invalid.option} ${invalid.problem}`
      return Effect.as(Effect.logWarning(problem), otherwise("handler", invalid))
    }
    const answer = eventually(() => handler({ signal })).pipe(
      Effect.flatMap(wellFormed),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("a handler failed", cause), otherwise("handler")))
    )
    return Effect.map(answer, (result) => resolve(requestId, result, "handler"))
  }

  return {
    add: (waiting: Waiting<Answer>) => {
      const { requestId, waitMs, otherwise } = waiting
      const controller = new AbortController()
      const released = Deferred.makeUnsafe<void>()
      const release = () => {
        Deferred.doneUnsafe(released, Effect.void)
        controller.abort()
      }
      entries.set(requestId, { ...waiting, release })
      open.add(requestId)
      const late = Effect.map(waitFor(waitMs), () => resolve(requestId, otherwise("deadline"), "deadline"))
      const answered = Effect.raceAllFirst([Deferred.await(released), handled(waiting, controller.signal), late])
      fork(Effect.asVoid(answered))
    },
    resolve,
    withdraw: (requestId: string, by: DecidedBy) => take(requestId)?.withdrawn(by),
    withdrawAll: (by: DecidedBy) => {
      for (const requestId of [...entries.keys()]) take(requestId)?.withdrawn(by)
    }
  }
}

const waitFor = (ms: number) => (ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(ms))

const makePermissions = (options: OpenRequestsOptions, open: Set<string>) => {
  const { approver, dialogue, workingDirectory, give, perform, planAllowed, isWritable, fork, clock } = options
  const pending = makePending<PlanAnswer>(open, fork, planAnswerProblem)
  const waiting = new Map<string, PermissionRequestEvent>()

  const withdrawn = (request: PermissionRequestEvent, by: DecidedBy) => {
    const { requestId } = request
    waiting.delete(requestId)
    give({ type: "permission_decision", requestId, decision: "withdrawn", by, ...nested(request) })
  }

  const warn = ({ requestId }: PermissionRequestEvent, message: string) =>
    give({ type: "notice", kind: "warning", message, data: { requestId } })

  const conclude = (
    request: PermissionRequestEvent,
    requested: Concluded,
    takesInput: boolean,
    by: DecidedBy,
    decider?: Decider
  ) => {
    if (!isWritable()) {
      withdrawn(request, "end")
      return false
    }
    const { decision } = requested
    const isPossible = takesInput || decision.decision === "deny" || decision.input === undefined
    const concluded = isPossible ? requested : { decision: unchangeable }
    if (!isPossible) warn(request, `${request.toolName} was denied: this agent does not support a changed input`)
    give(decisionEvent(request, concluded, by, decider))
    if (request.kind === "plan" && concluded.decision.decision === "allow") planAllowed()
    perform(dialogue.decide(request.requestId, concluded.decision))
    return true
  }

  const settled = (query: RequestedPermission, takesInput: boolean) => (answer: PlanAnswer, by: DecidedBy) => {
    const { request, grants } = query
    waiting.delete(request.requestId)
    const bareMessage = bareMessages[by]
    const invalid = scopeProblem(request, answer)
    if (invalid !== undefined) warn(request, `The answer is not remembered: ${invalid.option} ${invalid.problem}`)
    const context = { grants, ...(bareMessage === undefined ? {} : { bareMessage }) }
    return conclude(request, approver.conclude(request, answer, context), takesInput, by, answer)
  }

  const ask = (query: PermissionAsk) => {
    const judged = requestEventOf(query, workingDirectory)
    const { request } = judged
    const { plan: text, toolId } = request
    if (text !== undefined) give(boundedFacts({ type: "plan", text, toolId, ...nested(request) }, workingDirectory))
    const { takesInput } = query
    const ruling = approver.consider(request)
    if (ruling._tag === "Decided") {
      give(request)
      conclude(request, ruling, takesInput, ruling.by)
      return
    }
    const { handler, waitMs, otherwise } = ruling
    const complete = { ...request, ...judged.preview(), ...deadlineOf(clock, waitMs) }
    give(complete)
    waiting.set(request.requestId, request)
    pending.add({
      requestId: request.requestId,
      handler: handler === undefined ? undefined : (context) => handler(complete, context),
      waitMs,
      otherwise: (why, invalid) =>
        otherwise === "allow" ? { decision: "allow" } : { decision: "deny", message: undecided(why, waitMs, invalid) },
      resolve: settled(judged, takesInput),
      withdrawn: (by) => withdrawn(request, by)
    })
  }

  const check = (callId: string, checked: PermissionAsk) => {
    const { request } = requestEventOf(checked, workingDirectory)
    const denial = approver.forbids(request)
    if (denial !== undefined) {
      give(request)
      give(decisionEvent(request, { decision: denial }, "rule"))
    }
    perform(dialogue.reply(callId, denial?.message))
  }

  const decide = (requestId: string, answer: PlanAnswer) => {
    const request = waiting.get(requestId)
    const invalid = planAnswerProblem(answer) ?? (request && scopeProblem(request, answer))
    if (invalid !== undefined) return Result.fail(new InvalidParams(invalid))
    return Result.succeed(pending.resolve(requestId, answer, "caller"))
  }
  return { pending, ask, check, decide }
}

/** The questions of a live session, from the dialogue to their answer; answered at once if no handler is set. */
const makeQuestions = (options: OpenRequestsOptions, open: Set<string>) => {
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

export type OpenRequests = ReturnType<typeof makeOpenRequests>

export const makeOpenRequests = (options: OpenRequestsOptions) => {
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
    messageAdded: options.approver.messageAdded,
    /** Withdraws all open requests and questions. */
    end: () => {
      isOver = true
      permissions.pending.withdrawAll("end")
      questions.pending.withdrawAll("end")
    }
  }
}
