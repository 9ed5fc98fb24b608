/**
 * Requests that wait for an answer: from a function of the host, the caller or the deadline, whoever is first. Each gets
 * one, and what comes after it is told so.
 */
import { Deferred, Effect } from "effect"
import type { AnswerProblem } from "../approvals/answers.ts"
import { type Eventually, eventually } from "../contract/eventually.ts"
import type { AskContext } from "../contract/Rule.ts"
import type { DecidedBy } from "../contract/SessionEvent.ts"

export interface Waiting<Answer> {
  readonly requestId: string
  readonly handler: ((context: AskContext) => Eventually<Answer>) | undefined
  /** Infinite for none. */
  readonly waitMs: number
  /** The answer when nobody gave one in time, or the handler failed or gave none. */
  readonly otherwise: (why: "deadline" | "handler") => Answer
  /** Tells the agent; gives whether it can still be told. */
  readonly settle: (answer: Answer, by: DecidedBy) => boolean
  /** The agent asks no longer. */
  readonly withdrawn: (by: DecidedBy) => void
}

export interface Pending<Answer> {
  readonly add: (waiting: Waiting<Answer>) => void
  readonly has: (requestId: string) => boolean
  /** Gives whether this was the answer. */
  readonly settle: (requestId: string, answer: Answer, by: DecidedBy) => boolean
  readonly withdraw: (requestId: string, by: DecidedBy) => void
  readonly withdrawAll: (by: DecidedBy) => void
  readonly isEmpty: () => boolean
}

interface Entry<Answer> extends Waiting<Answer> {
  readonly release: () => void
}

/** `problemOf`: with what a handler in plain JavaScript gives, whatever its type says. */
export const makePending = <Answer>(
  fork: (effect: Effect.Effect<void>) => void,
  problemOf: (given: unknown) => AnswerProblem | undefined
): Pending<Answer> => {
  const entries = new Map<string, Entry<Answer>>()

  const take = (requestId: string) => {
    const entry = entries.get(requestId)
    entries.delete(requestId)
    entry?.release()
    return entry
  }

  const settle = (requestId: string, answer: Answer, by: DecidedBy) => take(requestId)?.settle(answer, by) ?? false

  const wellFormed = (answer: Answer): Effect.Effect<Answer, TypeError> => {
    const wrong = problemOf(answer)
    return wrong === undefined
      ? Effect.succeed(answer)
      : Effect.fail(new TypeError(`The answer's ${wrong.option} ${wrong.problem}`))
  }

  const handled = ({ requestId, handler, otherwise }: Waiting<Answer>, signal: AbortSignal) => {
    if (handler === undefined) return Effect.never
    const answer = eventually(() => handler({ signal })).pipe(
      Effect.flatMap(wellFormed),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("a handler failed", cause), otherwise("handler")))
    )
    return Effect.asVoid(Effect.map(answer, (given) => settle(requestId, given, "handler")))
  }

  return {
    add: (waiting) => {
      const { requestId, waitMs, otherwise } = waiting
      const controller = new AbortController()
      const released = Deferred.makeUnsafe<void>()
      const release = () => {
        Deferred.doneUnsafe(released, Effect.void)
        controller.abort()
      }
      entries.set(requestId, { ...waiting, release })
      const late = Effect.asVoid(
        Effect.map(waitFor(waitMs), () => settle(requestId, otherwise("deadline"), "deadline"))
      )
      fork(Effect.raceAllFirst([Deferred.await(released), handled(waiting, controller.signal), late]))
    },
    has: (requestId) => entries.has(requestId),
    settle,
    withdraw: (requestId, by) => take(requestId)?.withdrawn(by),
    withdrawAll: (by) => {
      for (const requestId of [...entries.keys()]) take(requestId)?.withdrawn(by)
    },
    isEmpty: () => entries.size === 0
  }
}

const waitFor = (ms: number) => (ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(ms))
