/** Requests and questions that wait for an answer; the first of a handler, the caller or the deadline counts. */
import { type Clock, Deferred, Effect } from "effect"
import type { Dialogue, Output } from "../../cli/Live.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { type Eventually, eventually } from "../../contract/Input.ts"
import type { AskContext, Decider } from "../../contract/Rule.ts"
import type { DecidedBy } from "../../contract/SessionEvent.ts"
import type { Approver } from "../approvals/approver.ts"

/** Why an answer is refused: the name of its field, and what it must be; quotes nothing of the answer. */
export interface AnswerProblem {
  readonly option: string
  readonly problem: string
}

export interface AsksOptions {
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

export const nested = ({ parentToolId }: { readonly parentToolId?: string }) =>
  parentToolId === undefined ? {} : { parentToolId }

/** Returns undefined for an infinite wait. */
export const deadlineOf = (clock: AsksOptions["clock"], waitMs: number) =>
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
export const makePending = <Answer>(
  open: Set<string>,
  fork: AsksOptions["fork"],
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
