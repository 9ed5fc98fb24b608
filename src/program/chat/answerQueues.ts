/**
 * The answers of a driving program, matched to the agent's requests: one queue for permissions, one for questions. The
 * outcome of an answer is reported with the number of its line: accepted, too late, or refused, after which the request
 * stays open.
 */
import { Effect } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers } from "../../contract/SessionEvent.ts"
import * as Pending from "./pendingAnswers.ts"

/** `problem`: the reason of a refusal. */
type Outcome = "accepted" | "late" | { readonly problem: string }

interface QueueOptions<Value> {
  /** Returns false if the request has already ended. */
  readonly deliver: (requestId: string, value: Value) => Effect.Effect<boolean, AgentError>
  readonly report: (line: number, outcome: Outcome) => Effect.Effect<void>
  /** The answer to requests that arrive after the last line. */
  readonly fallback: Value
}

interface Answer<Value> {
  /** Undefined for the fallback. */
  readonly line: number | undefined
  readonly value: Value
}

const makeQueue = <Value>({ deliver, report, fallback }: QueueOptions<Value>) => {
  let pending: Pending.PendingAnswers<Answer<Value>> = Pending.noPendingAnswers

  const tryAnswer = (requestId: string, value: Value): Effect.Effect<Outcome> =>
    Effect.match(deliver(requestId, value), {
      onFailure: ({ reason }) => ({ problem: reason.message }),
      onSuccess: (isAccepted) => (isAccepted ? "accepted" : "late")
    })

  const tryAll: Effect.Effect<void> = Effect.gen(function* () {
    for (let next = Pending.nextMatch(pending); next !== undefined; next = Pending.nextMatch(pending)) {
      const { requestId, answer } = next
      const outcome = yield* tryAnswer(requestId, answer.value)
      const { line } = answer
      const isRefused = line !== undefined && typeof outcome !== "string"
      pending = isRefused ? Pending.dropAnswer(pending) : Pending.afterMatch(pending, next, outcome === "accepted")
      if (line !== undefined && outcome !== "late") yield* report(line, outcome)
    }
  })

  return {
    onRequest: (requestId: string): Effect.Effect<void> => {
      pending = Pending.addRequest(pending, requestId)
      return tryAll
    },
    onSettled: (requestId: string): void => {
      pending = Pending.removeRequest(pending, requestId)
    },
    answer: (line: number, requestId: string | undefined, value: Value): Effect.Effect<void> => {
      if (requestId !== undefined)
        return Effect.flatMap(tryAnswer(requestId, value), (outcome) => report(line, outcome))
      pending = Pending.addAnswer(pending, { line, value })
      return tryAll
    },
    close: Effect.suspend(() => {
      pending = Pending.close(pending, { line: undefined, value: fallback })
      return tryAll
    }),
    reportUnused: Effect.suspend(() =>
      Effect.forEach(pending.answers, ({ line }) => (line === undefined ? Effect.void : report(line, "late")), {
        discard: true
      })
    )
  }
}

export interface AnswerQueuesOptions {
  readonly decide: (requestId: string, answer: PlanAnswer) => Effect.Effect<boolean, AgentError>
  readonly answer: (requestId: string, answers: Answers | undefined) => Effect.Effect<boolean, AgentError>
  readonly report: QueueOptions<never>["report"]
}

export const unattended = "No person can be asked."
export type AnswerQueues = ReturnType<typeof makeAnswerQueues>

export const makeAnswerQueues = ({ decide, answer, report }: AnswerQueuesOptions) => {
  const denial: PlanAnswer = { decision: "deny", message: unattended }
  const permissions = makeQueue<PlanAnswer>({ deliver: decide, report, fallback: denial })
  const questions = makeQueue<Answers | undefined>({ deliver: answer, report, fallback: undefined })
  const onEvent = (event: AgentEvent): Effect.Effect<void> => {
    switch (event.type) {
      case "permission_request":
        return permissions.onRequest(event.requestId)
      case "question":
        return questions.onRequest(event.requestId)
      case "permission_decision":
        return Effect.sync(() => permissions.onSettled(event.requestId))
      case "question_answer":
        return Effect.sync(() => questions.onSettled(event.requestId))
      default:
        return Effect.void
    }
  }
  return {
    permissions,
    questions,
    onEvent,
    /** No more answers arrive. */
    close: Effect.andThen(permissions.close, questions.close),
    reportUnused: Effect.andThen(permissions.reportUnused, questions.reportUnused)
  }
}
