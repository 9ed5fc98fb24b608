/**
 * A run whose events are given, instead of told by a process, with the guarantees of a real one: params are checked, the
 * one `done` is last, and abort, leaving and closing end it. One event at a time, so that whoever aborts at one does
 * not find the run at its end.
 */
import { Array as Arr, Cause, Clock, Deferred, Effect, Fiber, Predicate, Result, Schema, Stream } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { startStopwatch } from "../../clock/stopwatch.ts"
import { Aborted, type FailureReason, TimedOut } from "../../contract/AgentError.ts"
import { AgentEvent, type ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { resolveBudgets } from "../../engine/budgets.ts"
import { aborted } from "../../engine/endings.ts"
import { errorEvent } from "../../engine/failure.ts"
import { makeResult } from "../../engine/judge.ts"
import type { Ended } from "../../engine/outbox.ts"
import { acceptParams } from "../../engine/prepare.ts"
import { makeTally } from "../../engine/tally.ts"
import { makeWatchdog } from "../../engine/watchdog.ts"
import { checkCommandLine } from "../../process/commandLine.ts"
import { composeEnvironment } from "../../process/environment.ts"
import { contradictionOf, retold } from "./retold.ts"

type Given = Iterable<AgentEvent> | AsyncIterable<AgentEvent> | Stream.Stream<AgentEvent>

/**
 * The events of every run, or what gives them for the params of one. Without `done` it is made of them; with an `error`
 * the run failed for its code and category.
 */
export type ScriptedEvents = Given | ((params: AgentExecuteParams) => Given)

const streamOf = (given: Given): Stream.Stream<AgentEvent> => {
  if (!Predicate.isObjectKeyword(given)) throw new TypeError("layerTest: the events are no iterable and no Stream")
  if (Stream.isStream(given)) return given
  if (Symbol.asyncIterator in given) return Stream.orDie(Stream.fromAsyncIterable(given, (error) => error))
  return Stream.fromIterable(given, { chunkSize: 1 })
}

const decode = Schema.decodeUnknownResult(AgentEvent)

/** What a real run refuses before it starts, but for what only the machine can tell: directories and programs. */
const check = (cli: Cli, input: unknown) =>
  Result.gen(function* () {
    const params = yield* acceptParams(cli, input)
    const workingDirectory = params.workingDirectory ?? "/"
    const parts = { host: {}, cli, options: {}, params: params.env ?? {}, workingDirectory, runId: "scripted" }
    const env = yield* composeEnvironment(parts)
    const plan = yield* cli.plan(params, {}, { env, workingDirectory, privateDirectory: "/scripted" })
    yield* checkCommandLine(plan.args, { ...env, ...plan.env })
    return params
  })

/** Folds the events of one run, and makes the end that they lack. */
const makeFold = (cli: Cli, clock: Clock.Clock) => {
  const elapsedMs = startStopwatch(clock)
  const tally = makeTally()
  let sessionId: string | undefined
  let error: { readonly event: ErrorEvent; readonly count: number } | undefined
  let ended: Ended | undefined
  let count = 0

  const end = (result: AgentRunResult, failure: FailureReason | undefined) => {
    ended = { result, failure, hadOutput: tally.hadOutput() }
  }

  const failureOf = (result?: AgentRunResult): FailureReason => {
    const reason = retold(cli, error?.event, result, sessionId)
    const contradiction = error === undefined ? undefined : contradictionOf(error.event, reason)
    if (error === undefined || contradiction === undefined) return reason
    throw new Error(`layerTest: event ${error.count}, of type "error", says what no run would: ${contradiction}`)
  }

  return {
    ended: () => ended,
    isToolOpen: tally.isToolOpen,
    /** The event as it came. */
    take: (event: AgentEvent) => {
      count += 1
      const decoded = decode(event)
      if (Result.isFailure(decoded)) throw new Error(`layerTest: event ${count} is none: ${decoded.failure.message}`)
      if (ended !== undefined) {
        throw new Error(`layerTest: event ${count}, of type "${event.type}", stands behind done, the last of a run`)
      }
      tally.push(event)
      if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
      if (event.type === "error") error = { event, count }
      if (event.type === "done") {
        const isFailure = event.result.outcome !== "completed"
        end(event.result, isFailure ? failureOf(event.result) : undefined)
      }
      return event
    },
    /** The events that are missing at the end. */
    conclude: (reason?: FailureReason): ReadonlyArray<AgentEvent> => {
      if (ended !== undefined) return []
      const failure = error === undefined ? reason : failureOf()
      const report = sessionId === undefined ? {} : { sessionId }
      const result = makeResult({
        ending: { failure },
        text: tally.text(),
        durationMs: elapsedMs(),
        report,
        stderr: ""
      })
      end(result, failure)
      const told = failure === undefined || error !== undefined ? [] : [errorEvent(failure)]
      return [...told, { type: "done", result }]
    }
  }
}

/** One run, in the scope of whoever hears it. `closed`: the agent is no more. */
const open = Effect.fnUntraced(function* (
  cli: Cli,
  given: ScriptedEvents,
  input: unknown,
  closed: Deferred.Deferred<void>
) {
  yield* Effect.makeSpanScoped("AgentRuntime.run", { attributes: { cli: cli.id } })
  const fold = makeFold(cli, yield* Clock.Clock)
  const concluded = (reason?: FailureReason) => ({
    events: Stream.fromIterable(fold.conclude(reason)),
    ended: fold.ended
  })
  const checked = check(cli, input)
  if (Result.isFailure(checked)) return concluded(checked.failure)
  const params = checked.success
  const isUnwanted = () => params.abortSignal?.aborted === true || Deferred.isDoneUnsafe(closed)
  if (isUnwanted()) return concluded(new Aborted())
  const unwanted = Effect.raceFirst(aborted(params.abortSignal), Deferred.await(closed))
  // Its notices are left out: between two events of a script there is no place for another.
  const watchdog = yield* makeWatchdog(resolveBudgets(cli, {}, params.timeouts), () => {})
  const silence = yield* Effect.forkScoped(watchdog.fired(), { startImmediately: true })
  const timedOut = Effect.map(
    Fiber.join(silence),
    ({ state, budgetMs }) =>
      // A script is never said to linger.
      new TimedOut({ state: state === "linger" ? "idle" : state, budgetMs })
  )
  const source = yield* Effect.sync(() => streamOf(typeof given === "function" ? given(params) : given))
  const pull = yield* Stream.toPull(Stream.rechunk(source, 1))

  const last = (reason?: FailureReason) => {
    const events = fold.conclude(reason)
    return Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : Cause.done()
  }
  const next = Effect.suspend(() => {
    if (isUnwanted()) return last(new Aborted())
    const taken = Effect.map(pull, ([event]) => {
      const given = fold.take(event)
      watchdog.touch(fold.isToolOpen() ? "tool" : "idle")
      return [given] as const
    })
    // Behind `done` only a look at what is there already: a source need not come to its end.
    if (fold.ended() !== undefined) return Effect.andThen(Effect.raceFirst(taken, Effect.yieldNow), Cause.done())
    const atEnd = Effect.catchIf(taken, Cause.isDone, () => last())
    return Effect.raceFirst(
      // A source that never waits leaves timers and signals their turn.
      Effect.andThen(Effect.yieldNow, atEnd),
      Effect.flatMap(Effect.raceFirst(Effect.as(unwanted, new Aborted()), timedOut), last)
    )
  })
  return { events: Stream.fromPull(Effect.succeed(next)), ended: fold.ended }
})

/** Opens runs, until whoever made this closes. */
export const makeScripted = Effect.fnUntraced(function* (cli: Cli, given: ScriptedEvents) {
  const closed = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
  return (params: AgentExecuteParams) => open(cli, given, params, closed)
})
