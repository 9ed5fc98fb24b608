/**
 * A run that follows a script, with the guarantees of a real one: params checked, one `done` last, abort and closing
 * end it. One event at a time, so that a caller that aborts at an event does not find the run ended.
 */
import { Array as Arr, Cause, Clock, Deferred, Effect, Fiber, Predicate, Result, Schema, Stream } from "effect"
import { type Answering, answeringOf } from "../../agents/answers/answering.ts"
import { errorEvent, makeResult, makeTally } from "../../agents/engine/result.ts"
import { withRetryAt } from "../../agents/engine/retryTime.ts"
import { aborted } from "../../agents/engine/stop.ts"
import { makeWatchdog, type Phase, timeLimitsOf } from "../../agents/engine/watchdog.ts"
import type { Opened } from "../../agents/run/methods.ts"
import { observedInScope } from "../../agents/telemetry/traced.ts"
import type { Cli } from "../../cli/Cli.ts"
import type { RunReport } from "../../cli/Decoder.ts"
import { Aborted, AgentFailed, FailureReason, TimedOut } from "../../contract/AgentError.ts"
import { AgentEvent, type ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { present } from "../../contract/present.ts"
import type { End } from "../../contract/Start.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import type { Scripted } from "../ScriptedEvents.ts"
import { checkRun } from "./checkStart.ts"
import { endOfNothing, observing, startOfScript } from "./observing.ts"

type Events = Iterable<Scripted> | AsyncIterable<Scripted> | Stream.Stream<Scripted>

/** The events of every run, or a function that makes them of its params. What they mean: `layer`. */
export type Script = Events | ((params: AgentExecuteParams) => Events)

const streamOf = (script: Events): Stream.Stream<Scripted> => {
  if (!Predicate.isObjectKeyword(script))
    throw new TypeError("TestRuntime: the events are neither an iterable nor a Stream")
  if (Stream.isStream(script)) return script
  if (Symbol.asyncIterator in script) return Stream.orDie(Stream.fromAsyncIterable(script, (error) => error))
  return Stream.fromIterable(script, { chunkSize: 1 })
}

const isFailure = Schema.is(FailureReason)
const decodeFailure = Schema.decodeUnknownResult(FailureReason)
const decode = Schema.decodeUnknownResult(AgentEvent)

/** An event has no further facts of a failure. */
const reasonOf = ({ code, category, message, retryAfterMs, retryAt }: ErrorEvent) =>
  new AgentFailed({ code, category, detail: message, ...present({ retryAfterMs, retryAt }) })

const isAsking = ({ type }: AgentEvent) => type === "permission_request" || type === "question"

/** Folds the events of one run, and adds missing ones at its end. */
const makeFold = (clock: Clock.Clock, answering: Answering | undefined) => {
  const elapsedMs = startStopwatch(clock)
  const tally = makeTally()
  let sessionId: string | undefined
  let failure: FailureReason | undefined
  let ended: End | undefined
  let count = 0
  const wrong = (problem: string) => new Error(`TestRuntime: event ${count} ${problem}`)
  const end = (result: AgentRunResult) => {
    ended = { result, failure, hadOutput: tally.hadOutput() }
  }

  /** The missing `done` as an event. */
  const makeDone = (facts: RunReport = {}): AgentEvent => {
    const report = sessionId === undefined ? facts : { sessionId, ...facts }
    const result = makeResult({ ending: { failure }, text: tally.text(), durationMs: elapsedMs(), report, stderr: "" })
    end(result)
    return { type: "done", result }
  }

  const fail = (scripted: FailureReason): readonly [AgentEvent, AgentEvent] => {
    failure = withRetryAt(scripted, clock.currentTimeMillisUnsafe())
    return [errorEvent(failure), makeDone()]
  }

  const noteError = (event: ErrorEvent) => {
    const reason = reasonOf(event)
    if (event.retryable !== reason.retryable) {
      const reported = `retryable is ${event.retryable}, but ${reason.retryable} for category "${reason.category}"`
      throw wrong(`says what no run would: ${reported}; a failure of another sort stands in the script itself`)
    }
    failure = reason
  }

  const noteDone = (result: AgentRunResult) => {
    const isCompleted = result.outcome === "completed"
    if (isCompleted && failure !== undefined) throw wrong('says "completed", behind an error')
    if (!isCompleted && failure === undefined) throw wrong(`says "${result.outcome}", but no error stands before it`)
    end(result)
  }

  return {
    ended: () => ended,
    isToolOpen: tally.isToolOpen,
    /** Returns the event; for a failure, its error and end. */
    take: (scripted: Scripted): Arr.NonEmptyReadonlyArray<AgentEvent> => {
      count += 1
      if (ended !== undefined) throw wrong("stands behind the end of the run; a failure or `done` is the last")
      if (isFailure(scripted)) return fail(scripted)
      if (Predicate.hasProperty(scripted, "_tag")) {
        // As data, or of the class that another copy of this package has.
        const reason = decodeFailure(scripted)
        if (Result.isFailure(reason)) throw wrong(`is not a failure: ${reason.failure.message}`)
        return fail(reason.success)
      }
      const decoded = decode(scripted)
      if (Result.isFailure(decoded)) throw wrong(`is invalid: ${decoded.failure.message}`)
      tally.push(scripted)
      answering?.push(scripted)
      if (scripted.type === "session" && scripted.parentToolId === undefined) sessionId = scripted.sessionId
      if (scripted.type === "error") noteError(scripted)
      if (scripted.type === "done") noteDone(scripted.result)
      return [scripted]
    },
    /** Returns the events that are missing at the end. */
    conclude: (reason?: FailureReason): ReadonlyArray<AgentEvent> => {
      if (ended !== undefined) return []
      if (failure !== undefined) return [makeDone()]
      if (reason !== undefined) return fail(reason)
      const answer = answering?.judge({ verdict: { _tag: "Success" }, report: {} })
      return answer?.verdict._tag === "Failure" ? fail(answer.verdict.reason) : [makeDone(answer?.report)]
    }
  }
}

/** Makes the spans of a real run; a turn's are those of its session. */
const observerOfRun = Effect.fnUntraced(function* (
  cli: Cli,
  checked: Result.Result<AgentExecuteParams, FailureReason>,
  ended: () => End | undefined
) {
  const observer = yield* observedInScope(cli, "run", () => ended() ?? endOfNothing(new Aborted()))
  if (observer === undefined || Result.isFailure(checked)) return undefined
  return observing(observer, startOfScript("run", cli, checked.success))
})

/** One run, in the scope of its listener. `closed`: the agent was closed. `isTurn`: it belongs to a session. */
const begin = Effect.fnUntraced(function* (
  cli: Cli,
  script: Script,
  checked: Result.Result<AgentExecuteParams, FailureReason>,
  closed: Deferred.Deferred<void>,
  answering: Answering | undefined,
  isTurn: boolean
) {
  const fold = makeFold(yield* Clock.Clock, answering)
  const observe = isTurn ? undefined : yield* observerOfRun(cli, checked, fold.ended)
  const concluded = (reason: FailureReason): Opened => ({
    events: Stream.fromIterable(fold.conclude(reason)),
    ended: fold.ended
  })
  if (Result.isFailure(checked)) return concluded(checked.failure)
  const params = checked.success
  const isUnwanted = () => params.abortSignal?.aborted === true || Deferred.isDoneUnsafe(closed)
  if (isUnwanted()) return concluded(new Aborted())
  const unwanted = Effect.raceFirst(aborted(params.abortSignal), Deferred.await(closed))
  // Its notices are left out, since a script has no place for them between two events.
  const watchdog = yield* makeWatchdog(timeLimitsOf(cli, {}, params.timeouts), () => {})
  const silence = yield* Effect.forkScoped(watchdog.fired(), { startImmediately: true })
  const timedOut = Effect.raceFirst(
    Effect.map(
      Fiber.join(silence),
      ({ state, budgetMs }) =>
        // A script is never said to settle or linger.
        new TimedOut({ state: state === "linger" || state === "settle" ? "idle" : state, budgetMs })
    ),
    watchdog.expired ?? Effect.never
  )
  const source = yield* Effect.sync(() => streamOf(typeof script === "function" ? script(params) : script))
  const pull = yield* Stream.toPull(Stream.rechunk(source, 1))
  let isAsked = false
  let isCutOff = false
  const phase = (): Phase => (isAsked ? "approval" : fold.isToolOpen() ? "tool" : "idle")
  const last = (reason?: FailureReason) => {
    isCutOff = reason !== undefined
    const events = fold.conclude(reason)
    return Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : Cause.done()
  }
  const next = Effect.suspend(() => {
    if (isCutOff) return Cause.done()
    if (isUnwanted()) return last(new Aborted())
    // Asking for more is an answer.
    if (isAsked) {
      isAsked = false
      watchdog.touch(phase())
    }
    const taken = Effect.map(pull, ([scripted]) => {
      const events = fold.take(scripted)
      isAsked = events.some(isAsking)
      watchdog.touch(phase())
      observe?.(events)
      return events
    })
    // After the end, only one more look: a source need not end.
    if (fold.ended() !== undefined) return Effect.andThen(Effect.raceFirst(taken, Effect.yieldNow), Cause.done())
    const atEnd = Effect.catchIf(taken, Cause.isDone, () => last())
    return Effect.raceFirst(
      // Yields, so that timers and signals run even if the source never waits.
      Effect.andThen(Effect.yieldNow, atEnd),
      Effect.flatMap(Effect.raceFirst(Effect.as(unwanted, new Aborted()), timedOut), last)
    )
  })
  return { events: Stream.fromPull(Effect.succeed(next)), ended: fold.ended, answering } satisfies Opened
})

/** Runs with a caller's params, and turns with params that a session has checked, until the scope closes. */
export const makeScripted = Effect.fnUntraced(function* (cli: Cli, script: Script) {
  const closed = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
  return {
    open: (input: AgentExecuteParams) =>
      begin(cli, script, checkRun(cli, input), closed, answeringOf(input, "prompt"), false),
    turn: (params: AgentExecuteParams) =>
      begin(cli, script, Result.succeed(params), closed, answeringOf(params, "prompt"), true)
  }
})
