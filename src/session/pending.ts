/**
 * Requests that wait for an answer: from a function of the host, the caller or the deadline, whoever is first. Each gets
 * one, and what comes after it is told so.
 */
import { Deferred, Effect } from "effect"
import type { AskContext } from "../Approvals.ts"
import { type Eventually, eventually } from "../eventually.ts"
import type { DecidedBy } from "../SessionEvent.ts"

export interface Waiting<Answer> {
  readonly requestId: string
  readonly handler: ((context: AskContext) => Eventually<Answer>) | undefined
  /** Infinite for none. */
  readonly deadlineMs: number
  /** The answer when the deadline is over, or the handler fails or gives none. */
  readonly otherwise: Answer
  /** Tells the agent; gives whether it can still be told. */
  readonly settle: (answer: Answer, by: DecidedBy) => boolean
  /** The agent asks no longer. */
  readonly withdrawn: (by: DecidedBy) => void
}

export interface Pending<Answer> {
  readonly add: (waiting: Waiting<Answer>) => void
  /** Gives whether this was the answer. Throws for what is none: the request waits on. */
  readonly settle: (requestId: string, answer: Answer, by: DecidedBy) => boolean
  readonly withdraw: (requestId: string, by: DecidedBy) => void
  readonly withdrawAll: (by: DecidedBy) => void
  readonly isEmpty: () => boolean
}

interface Entry<Answer> extends Waiting<Answer> {
  readonly release: () => void
}

const noAnswer = () => new TypeError("What was given is no answer")

/** `isAnswer`: of what is given in plain JavaScript, whatever its type says. */
export const makePending = <Answer>(
  fork: (effect: Effect.Effect<void>) => void,
  isAnswer: (given: unknown) => given is Answer
): Pending<Answer> => {
  const entries = new Map<string, Entry<Answer>>()

  const take = (requestId: string) => {
    const entry = entries.get(requestId)
    entries.delete(requestId)
    entry?.release()
    return entry
  }

  const settle = (requestId: string, answer: Answer, by: DecidedBy) => {
    if (!isAnswer(answer)) throw noAnswer()
    return take(requestId)?.settle(answer, by) ?? false
  }

  const handled = ({ requestId, handler, otherwise }: Waiting<Answer>, signal: AbortSignal) => {
    if (handler === undefined) return Effect.never
    const answer = eventually(() => handler({ signal })).pipe(
      Effect.filterOrFail(isAnswer, noAnswer),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("a handler failed", cause), otherwise))
    )
    return Effect.asVoid(Effect.map(answer, (given) => settle(requestId, given, "handler")))
  }

  return {
    add: (waiting) => {
      const { requestId, deadlineMs, otherwise } = waiting
      const controller = new AbortController()
      const released = Deferred.makeUnsafe<void>()
      const release = () => {
        Deferred.doneUnsafe(released, Effect.void)
        controller.abort()
      }
      entries.set(requestId, { ...waiting, release })
      const late = Effect.asVoid(Effect.map(waitFor(deadlineMs), () => settle(requestId, otherwise, "deadline")))
      fork(Effect.raceAllFirst([Deferred.await(released), handled(waiting, controller.signal), late]))
    },
    settle,
    withdraw: (requestId, by) => take(requestId)?.withdrawn(by),
    withdrawAll: (by) => {
      for (const requestId of [...entries.keys()]) take(requestId)?.withdrawn(by)
    },
    isEmpty: () => entries.size === 0
  }
}

const waitFor = (ms: number) => (ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(ms))
