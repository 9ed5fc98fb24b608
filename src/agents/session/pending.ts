/**
 * Requests and questions that wait for an answer: from a handler, the caller or the deadline, whichever is first. Each gets
 * one answer; later ones are refused.
 */
import { type Clock, Deferred, Effect } from "effect"
import type { Dialogue, Output } from "../../cli/Live.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { type Eventually, eventually } from "../../contract/Input.ts"
import type { AskContext, Decider } from "../../contract/Rule.ts"
import type { DecidedBy } from "../../contract/SessionEvent.ts"
import type { Approver } from "../approvals/approver.ts"

/** Why an answer is refused: the name of its field, and what it must be, without a word of the answer itself. */
export interface AnswerProblem {
  readonly option: string
  readonly problem: string
}

/** For all requests and questions of a session. */
export interface AsksOptions {
  readonly questions: AgentOpenParams["questions"]
  readonly workingDirectory: string
  readonly approver: Approver
  readonly dialogue: Pick<Dialogue, "decide" | "answer" | "reply">
  readonly give: (event: AgentEvent) => void
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  /** Whether a line can still be written to the CLI. */
  readonly isWritable: () => boolean
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Called before the CLI is told that its plan is allowed. */
  readonly planAllowed: () => void
  readonly clock: Pick<Clock.Clock, "currentTimeMillisUnsafe">
}

export const nested = ({ parentToolId }: { readonly parentToolId?: string }) =>
  parentToolId === undefined ? {} : { parentToolId }

/** Undefined for an infinite wait. */
export const deadlineOf = (clock: AsksOptions["clock"], waitMs: number) =>
  Number.isFinite(waitMs) ? { deadlineMs: clock.currentTimeMillisUnsafe() + waitMs } : undefined

interface Waiting<Answer> {
  readonly requestId: string
  readonly handler: ((context: AskContext) => Eventually<Answer>) | undefined
  /** Infinite without a deadline. */
  readonly waitMs: number
  /** The answer after the deadline, or if the handler fails or gives no valid answer, which has a problem then. */
  readonly otherwise: (why: "deadline" | "handler", invalid?: AnswerProblem) => Answer
  /** Passes the answer to the agent; false if it cannot be reached any more. */
  readonly resolve: (answer: Answer, by: DecidedBy, decider?: Decider) => boolean
  /** The agent has withdrawn the request. */
  readonly withdrawn: (by: DecidedBy) => void
}

export interface Pending<Answer> {
  readonly add: (waiting: Waiting<Answer>) => void
  /** False if it needs no answer any more. */
  readonly resolve: (requestId: string, answer: Answer, by: DecidedBy, decider?: Decider) => boolean
  readonly withdraw: (requestId: string, by: DecidedBy) => void
  readonly withdrawAll: (by: DecidedBy) => void
}

interface Entry<Answer> extends Waiting<Answer> {
  readonly release: () => void
}

/**
 * `open` has the ids of those that wait. `problemOf` checks the answer of a handler, which may be written in plain
 * JavaScript.
 */
export const makePending = <Answer>(
  open: Set<string>,
  fork: AsksOptions["fork"],
  problemOf: (answer: unknown) => AnswerProblem | undefined
): Pending<Answer> => {
  const entries = new Map<string, Entry<Answer>>()

  const take = (requestId: string) => {
    const entry = entries.get(requestId)
    if (entry === undefined) return undefined
    entries.delete(requestId)
    open.delete(requestId)
    entry.release()
    return entry
  }

  const resolve: Pending<Answer>["resolve"] = (requestId, answer, by, decider) =>
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
    return Effect.asVoid(Effect.map(answer, (result) => resolve(requestId, result, "handler")))
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
      open.add(requestId)
      const late = Effect.asVoid(
        Effect.map(waitFor(waitMs), () => resolve(requestId, otherwise("deadline"), "deadline"))
      )
      fork(Effect.raceAllFirst([Deferred.await(released), handled(waiting, controller.signal), late]))
    },
    resolve,
    withdraw: (requestId, by) => take(requestId)?.withdrawn(by),
    withdrawAll: (by) => {
      for (const requestId of [...entries.keys()]) take(requestId)?.withdrawn(by)
    }
  }
}

const waitFor = (ms: number) => (ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(ms))
