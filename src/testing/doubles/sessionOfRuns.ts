/** A test session whose turns are scripted runs. A turn goes as far as its consumer; an interrupt does not wait. */
import { Effect, Result, type Scope, Semaphore, Stream } from "effect"
import { withOutput } from "../../agents/answers/answering.ts"
import { smallEventBytes } from "../../agents/engine/backlog.ts"
import { asTurn, errorEvent, failedRun, makeResult, resultOfNothing } from "../../agents/engine/result.ts"
import { aborted } from "../../agents/engine/stop.ts"
import type { Opened } from "../../agents/run/methods.ts"
import { makeBroadcast } from "../../agents/session/broadcast.ts"
import { checkPermissionMode, checkText, checkTurn } from "../../agents/session/checks.ts"
import { observedInScope } from "../../agents/telemetry/traced.ts"
import type { Cli } from "../../cli/Cli.ts"
import { Aborted, AgentError, type FailureReason, TimedOut } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams, TurnOptions } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { toMillis } from "../../contract/Input.ts"
import type { End } from "../../contract/Start.ts"
import { checkSession } from "./checkStart.ts"
import { endOfNothing, observing, observingTurn, startOfScript } from "./observing.ts"
import { makeScriptedAsks } from "./scriptedAsks.ts"

type Begin = (params: AgentExecuteParams) => Effect.Effect<Opened, never, Scope.Scope>

const runParams = (
  { approvals: _approvals, questions: _questions, tools: _tools, hooks: _hooks, timeouts, ...params }: AgentOpenParams,
  prompt: string,
  options: TurnOptions,
  abortSignal: AbortSignal
): AgentExecuteParams => {
  const { total: _total, ...budgets } = timeouts ?? {}
  return { ...params, ...options, prompt, abortSignal, ...(timeouts === undefined ? {} : { timeouts: budgets }) }
}

const endOf = (reason: FailureReason) => failedRun(reason).map(asTurn)
const failedTurn = <Output>(reason: FailureReason) => withOutput<Output>(undefined, Stream.fromIterable(endOf(reason)))

const errorOf = (cli: string) => (reason: FailureReason) =>
  new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })

/** The running turn, and the events of all turns. */
const makeCourse = () => {
  const { offer, end, events } = makeBroadcast()
  let sessionId: string | undefined
  let underWay: AbortController | undefined
  let ended: FailureReason | undefined
  let last: End | undefined
  const tell = (event: AgentEvent) => {
    if (ended !== undefined) return
    if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
    offer(event, smallEventBytes)
  }
  return {
    events,
    tell,
    sessionId: () => sessionId,
    end: () => last,
    /** Reason why nothing is accepted any more. */
    ended: () => ended,
    underWay: () => underWay,
    set: (next: AbortController | undefined) => {
      underWay = next
    },
    /** Without a reason its caller closed it, which is a failure only for a running turn. */
    conclude: (reason?: FailureReason) => {
      const failure = reason ?? (underWay === undefined ? undefined : new Aborted())
      if (failure !== undefined && underWay !== undefined) endOf(failure).forEach(tell)
      else if (failure !== undefined) tell(errorEvent(failure))
      const result = makeResult({ ending: { failure }, text: "", durationMs: 0, report: {}, stderr: "" })
      tell({ type: "done", result })
      last ??= { result, failure, hadOutput: false }
      ended ??= failure ?? new Aborted()
      end()
      underWay?.abort()
    }
  }
}

/** Ends a turn with the reason of its session, which is not always an abort. */
const endedBy = (failure: FailureReason | undefined, event: AgentEvent): AgentEvent => {
  if (failure === undefined) return event
  if (event.type === "error") return errorEvent(failure)
  if (event.type !== "turn_done") return event
  const { text, durationMs } = event.result
  return { type: "turn_done", result: makeResult({ ending: { failure }, text, durationMs, report: {}, stderr: "" }) }
}

export const sessionOfRuns = Effect.fnUntraced(function* (cli: Cli, begin: Begin, input: AgentOpenParams = {}) {
  const asError = errorOf(cli.id)
  const checkedParams = checkSession(cli, input)
  const course = makeCourse()
  const observer = yield* observedInScope(cli, "session", () => {
    const refused = Result.isFailure(checkedParams) ? endOfNothing(checkedParams.failure) : undefined
    return refused ?? course.end() ?? endOfNothing(new Aborted())
  })
  const params = yield* Effect.mapError(Effect.fromResult(checkedParams), asError)
  const start = startOfScript("session", cli, params)
  const observe = observer && observing(observer, start)
  const oneAtATime = yield* Semaphore.make(1)
  const asks = yield* makeScriptedAsks(params)
  const scope = yield* Effect.scope
  const { total = "Infinity" as const } = params.timeouts ?? {}
  const budgetMs = toMillis(total)
  const turn = <Output>(prompt: string, options: TurnOptions<Output> = {}): Stream.Stream<AgentEvent<Output>> =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* Effect.acquireRelease(oneAtATime.take(1), () => oneAtATime.release(1))
        const ended = course.ended()
        if (ended !== undefined) return failedTurn<Output>(ended)
        const text = checkTurn("prompt", prompt, options)
        if (Result.isFailure(text)) return failedTurn<Output>(text.failure)
        const controller = new AbortController()
        const { abortSignal = controller.signal } = params
        const signal = AbortSignal.any([controller.signal, abortSignal])
        course.set(controller)
        yield* Effect.addFinalizer(() => Effect.sync(() => course.set(undefined)))
        const { events, answering } = yield* begin(runParams(params, prompt, options, signal))
        const observeTurn = observer && (yield* observingTurn(observer, start, prompt))
        const observed = events.pipe(
          Stream.flatMap((event) => asks.events(asTurn(event), aborted(signal))),
          Stream.map((event) => endedBy(course.ended(), event)),
          Stream.tap((event) =>
            Effect.sync(() => {
              observe?.([event])
              observeTurn?.([event])
              course.tell(event)
            })
          )
        )
        return withOutput<Output>(answering, observed)
      })
    )

  const checked = <A>(run: () => Result.Result<A, FailureReason>) =>
    Effect.suspend(() => Effect.mapError(Effect.fromResult(run()), asError))

  const whileOpen = (run: () => Result.Result<boolean, FailureReason>) =>
    checked(() => (course.ended() === undefined ? run() : Result.succeed(false)))

  const accept = Effect.fnUntraced(function* (text: string, options: TurnOptions = {}) {
    yield* checked(() => checkTurn("text", text, options))
    const ended = course.ended()
    if (ended !== undefined) return yield* asError(ended)
  })
  const session: AgentSession = {
    cli: cli.id,
    get sessionId() {
      return course.sessionId()
    },
    get isOver() {
      return course.ended() !== undefined
    },
    turn,
    send: (text, options) =>
      Effect.gen(function* () {
        yield* accept(text, options)
        const delivery = course.underWay() === undefined ? "started" : "queued"
        yield* Effect.forkIn(Stream.runDrain(turn(text, options)), scope)
        return delivery
      }),
    // A script does not react to added text.
    steer: (text, options) => Effect.as(accept(text, options), false),
    interrupt: Effect.sync(() => {
      const controller = course.underWay()
      controller?.abort()
      asks.turnInterrupted()
      return controller !== undefined
    }),
    idle: Effect.void.pipe(oneAtATime.withPermits(1)),
    setModel: (model) => checked(() => checkText("model", model)),
    setPermissionMode: (mode) => checked(() => checkPermissionMode(mode)),
    decide: (requestId, answer) => whileOpen(() => asks.decide(requestId, answer)),
    answer: (requestId, answers, decider) => whileOpen(() => asks.answer(requestId, answers, decider)),
    events: course.events
  }
  if (Number.isFinite(budgetMs)) {
    const expired = new TimedOut({ state: "total", budgetMs })
    yield* Effect.forkScoped(
      Effect.andThen(
        Effect.sleep(budgetMs),
        Effect.sync(() => course.conclude(expired))
      )
    )
  }
  // Before turns of `send` are interrupted, which would have no end.
  yield* Effect.addFinalizer(() => Effect.sync(() => course.conclude()))
  return session
})
