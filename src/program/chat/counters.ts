/**
 * Where answers meet requests: one counter for permissions, one for questions. What became of an answer is told by its
 * line: taken, too late, or refused, after which the request waits on.
 */
import { Effect } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers } from "../../contract/SessionEvent.ts"
import * as Desk from "./desk.ts"

/** What became of an answer; a text is what is wrong with it. */
type Outcome = "taken" | "late" | { readonly problem: string }

export interface CounterOptions<Value> {
  /** Gives whether this was the answer. */
  readonly give: (requestId: string, value: Value) => Effect.Effect<boolean, AgentError>
  readonly told: (line: number, outcome: Outcome) => Effect.Effect<void>
  /** What is answered when nobody is there any more. */
  readonly nobody: Value
}

export interface Counter<Value> {
  readonly asked: (requestId: string) => Effect.Effect<void>
  readonly settled: (requestId: string) => void
  readonly take: (line: number, requestId: string | undefined, value: Value) => Effect.Effect<void>
  /** No answer comes any more. */
  readonly close: Effect.Effect<void>
  /** Tells which answers were for nothing. */
  readonly end: Effect.Effect<void>
}

interface Answer<Value> {
  /** Undefined where nobody has given it. */
  readonly line: number | undefined
  readonly value: Value
}

export const makeCounter = <Value>({ give, told, nobody }: CounterOptions<Value>): Counter<Value> => {
  let desk: Desk.Desk<Answer<Value>> = Desk.emptyDesk

  const tried = (requestId: string, value: Value): Effect.Effect<Outcome> =>
    Effect.match(give(requestId, value), {
      onFailure: ({ reason }) => ({ problem: reason.message }),
      onSuccess: (isTaken) => (isTaken ? "taken" : "late")
    })

  const serve: Effect.Effect<void> = Effect.gen(function* () {
    for (let next = Desk.attempt(desk); next !== undefined; next = Desk.attempt(desk)) {
      const { requestId, answer } = next
      const outcome = yield* tried(requestId, answer.value)
      const { line } = answer
      const isRefused = line !== undefined && typeof outcome !== "string"
      desk = isRefused ? Desk.refused(desk) : Desk.tried(desk, next, outcome === "taken")
      if (line !== undefined && outcome !== "late") yield* told(line, outcome)
    }
  })

  return {
    asked: (requestId) => {
      desk = Desk.asked(desk, requestId)
      return serve
    },
    settled: (requestId) => {
      desk = Desk.settled(desk, requestId)
    },
    take: (line, requestId, value) => {
      if (requestId !== undefined) return Effect.flatMap(tried(requestId, value), (outcome) => told(line, outcome))
      desk = Desk.answered(desk, { line, value })
      return serve
    },
    close: Effect.suspend(() => {
      desk = Desk.closed(desk, { line: undefined, value: nobody })
      return serve
    }),
    end: Effect.suspend(() =>
      Effect.forEach(desk.answers, ({ line }) => (line === undefined ? Effect.void : told(line, "late")), {
        discard: true
      })
    )
  }
}

export interface CountersOptions {
  readonly decide: (requestId: string, answer: PlanAnswer) => Effect.Effect<boolean, AgentError>
  readonly answer: (requestId: string, answers: Answers | undefined) => Effect.Effect<boolean, AgentError>
  readonly told: CounterOptions<never>["told"]
}

const nobody: PlanAnswer = { decision: "deny", message: "Nobody is there to be asked." }

export type Counters = ReturnType<typeof makeCounters>

export const makeCounters = ({ decide, answer, told }: CountersOptions) => {
  const permissions = makeCounter<PlanAnswer>({ give: decide, told, nobody })
  const questions = makeCounter<Answers | undefined>({ give: answer, told, nobody: undefined })
  const hear = (event: AgentEvent): Effect.Effect<void> => {
    switch (event.type) {
      case "permission_request":
        return permissions.asked(event.requestId)
      case "question":
        return questions.asked(event.requestId)
      case "permission_decision":
        return Effect.sync(() => permissions.settled(event.requestId))
      case "question_answer":
        return Effect.sync(() => questions.settled(event.requestId))
      default:
        return Effect.void
    }
  }
  return {
    permissions,
    questions,
    hear,
    close: Effect.andThen(permissions.close, questions.close),
    end: Effect.andThen(permissions.end, questions.end)
  }
}
