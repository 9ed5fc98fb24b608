/**
 * A session whose turns are runs of their own, for tests: what a run gives for a prompt, a turn gives. A turn goes on as
 * far as its consumer does, so an interrupt does not wait for its end.
 */
import { Effect, Semaphore, Stream } from "effect"
import { Aborted, AgentError } from "../AgentError.ts"
import type { AgentEvent } from "../AgentEvent.ts"
import type { AgentExecuteParams } from "../AgentExecuteParams.ts"
import type { AgentOpenParams } from "../AgentOpenParams.ts"
import type { AgentSession } from "../AgentSession.ts"
import { failedRun, resultOfNothing } from "../run/failure.ts"
import { makeResult } from "../run/judge.ts"
import { smallEventBytes } from "../run/outbox.ts"
import { makeAudience } from "./audience.ts"

type Execute = (params: AgentExecuteParams) => Stream.Stream<AgentEvent>

const runParams = (
  { approvals: _approvals, questions: _questions, tools: _tools, hooks: _hooks, ...params }: AgentOpenParams,
  prompt: string,
  { signal }: AbortController
): AgentExecuteParams => {
  const { abortSignal = signal } = params
  return { ...params, prompt, abortSignal: AbortSignal.any([signal, abortSignal]) }
}

const asTurn = (event: AgentEvent): AgentEvent =>
  event.type === "done" ? { type: "turn_done", result: event.result } : event

const abortedTurn = () => failedRun(new Aborted()).map(asTurn)

const abortedSession = (cli: string) => {
  const reason = new Aborted()
  return new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })
}

/** Which turn is under way, and what all of them told. */
const makeCourse = () => {
  const { offer, end, events } = makeAudience()
  let sessionId: string | undefined
  let underWay: AbortController | undefined
  let isOver = false
  const tell = (event: AgentEvent) => {
    if (isOver) return
    if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
    offer(event, smallEventBytes)
  }
  return {
    events,
    tell,
    sessionId: () => sessionId,
    isOver: () => isOver,
    underWay: () => underWay,
    set: (next: AbortController | undefined) => {
      underWay = next
    },
    conclude: () => {
      const failure = underWay === undefined ? undefined : new Aborted()
      if (failure !== undefined) abortedTurn().forEach(tell)
      const result = makeResult({ ending: { failure }, text: "", durationMs: 0, report: {}, stderr: "" })
      tell({ type: "done", result })
      isOver = true
      end()
      underWay?.abort()
    }
  }
}

export const sessionOfRuns = Effect.fnUntraced(function* (cli: string, execute: Execute, params: AgentOpenParams = {}) {
  const oneAtATime = yield* Semaphore.make(1)
  const course = makeCourse()
  const scope = yield* Effect.scope

  const turn = (prompt: string) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* Effect.acquireRelease(oneAtATime.take(1), () => oneAtATime.release(1))
        if (course.isOver()) return Stream.fromIterable(abortedTurn())
        const controller = new AbortController()
        course.set(controller)
        yield* Effect.addFinalizer(() => Effect.sync(() => course.set(undefined)))
        return execute(runParams(params, prompt, controller)).pipe(
          Stream.map(asTurn),
          Stream.tap((event) => Effect.sync(() => course.tell(event)))
        )
      })
    )

  const session: AgentSession = {
    cli,
    get sessionId() {
      return course.sessionId()
    },
    turn,
    send: (text) =>
      Effect.suspend(() => {
        if (course.isOver()) return Effect.fail(abortedSession(cli))
        const delivery = course.underWay() === undefined ? "started" : "queued"
        return Effect.as(Effect.forkIn(Stream.runDrain(turn(text)), scope), delivery)
      }),
    interrupt: Effect.sync(() => {
      const controller = course.underWay()
      controller?.abort()
      return controller !== undefined
    }),
    idle: Effect.void.pipe(oneAtATime.withPermits(1)),
    setModel: () => Effect.void,
    setPermissionMode: () => Effect.void,
    decide: () => Effect.succeed(false),
    answer: () => Effect.succeed(false),
    events: course.events
  }
  // Before what `send` has begun is interrupted, which would have no end.
  yield* Effect.addFinalizer(() => Effect.sync(course.conclude))
  return session
})
