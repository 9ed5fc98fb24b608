/** The ends of a run that the CLI does not report, and the end of its process. */
import { Deferred, Effect } from "effect"
import type { Verdict } from "../cli/Decoder.ts"
import { Aborted, type FailureReason, TimedOut } from "../contract/AgentError.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { ProcessExit } from "../contract/AgentRunResult.ts"
import { toMillis } from "../contract/input.ts"
import type { RunProcess } from "../process/launch.ts"
import { type Ending, endingOf, judge } from "./judge.ts"
import type { Outlet } from "./outlet.ts"
import type { Watchdog } from "./watchdog.ts"

/** The CLI's verdict, once all of its output is read. */
export type VerdictAtEnd = (exit: ProcessExit | undefined) => Verdict | undefined

/** The process has exited. `read` returns when all of its output is read. */
export const exited = Effect.fnUntraced(function* (
  process: RunProcess,
  read: Effect.Effect<void>,
  verdict: VerdictAtEnd
) {
  const exit = yield* process.finished
  yield* read
  return judge(verdict(exit), exit, process.stderr())
})

/** Usually the exit follows the end of stdout at once, and has more information. */
const exitDelay = "2 seconds"

/** stdout has ended and the process stays: the verdict so far counts. */
export const stdoutClosed = Effect.fnUntraced(function* (
  process: RunProcess,
  read: Effect.Effect<void>,
  verdict: VerdictAtEnd
) {
  yield* read
  yield* Effect.sleep(exitDelay)
  return (yield* process.hasExited) ? yield* Effect.never : endingOf(verdict(undefined))
})

/** A time limit was reached: after the result that confirms it, else it is a failure. */
export const timedOut = (
  { caughtUp }: Pick<RunProcess, "caughtUp">,
  watchdog: Watchdog,
  verdict: VerdictAtEnd
): Effect.Effect<Ending> =>
  Effect.map(watchdog.fired(caughtUp), ({ state, budgetMs }) => {
    if (state === "linger") return { ...endingOf(verdict(undefined)), mayLinger: false }
    return { failure: new TimedOut({ state, budgetMs }) }
  })

/** Completes when the caller's signal is aborted; never without a signal. */
export const aborted = (signal: AbortSignal | undefined): Effect.Effect<void> => {
  if (signal === undefined) return Effect.never
  return Effect.callback<void>((resume) => {
    const abort = () => resume(Effect.void)
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })
}

/** The caller has aborted by its signal, or has left. */
export const departure = (signal: AbortSignal | undefined, left: Deferred.Deferred<void>) => {
  const abort = aborted(signal)
  const unwanted = signal === undefined ? Deferred.await(left) : Effect.raceFirst(abort, Deferred.await(left))
  return {
    isGone: () => signal?.aborted === true || Deferred.isDoneUnsafe(left),
    abort,
    unwanted,
    leave: Effect.flatMap(unwanted, () => new Aborted())
  }
}

const spokenGrace = 10_000
/** A process that never printed a line has no state to save. */
const silentGrace = 2_000

/** Time between the stop signal and SIGKILL, in milliseconds. */
export const killGrace = (options: AgentOptions, hasSpoken: boolean): number =>
  toMillis(options.killGrace ?? (hasSpoken ? spokenGrace : silentGrace))

export interface EndProcessOptions {
  /** Time for the process to exit by itself. */
  readonly lingerMs: number
  /** Ends that time early. */
  readonly hurry: Effect.Effect<void> | undefined
  /** In milliseconds. */
  readonly grace: number
}

/** Waits for the process to exit by itself, then ends its process group. */
export const endProcess = Effect.fnUntraced(function* (
  process: RunProcess,
  { lingerMs, hurry, grace }: EndProcessOptions
) {
  if (yield* process.hasExited) return
  const waits = [Effect.as(process.exit, true), Effect.as(Effect.sleep(lingerMs), false)]
  const hurries = hurry === undefined ? [] : [Effect.as(hurry, false)]
  const hasLeft = lingerMs > 0 && (yield* Effect.raceAllFirst([...waits, ...hurries]))
  if (hasLeft) return
  if (lingerMs > 0) {
    yield* Effect.annotateCurrentSpan("lingered", true)
    yield* Effect.logWarning("the process lingered after its result and is ended", { lingerMs })
  }
  yield* process.stop(grace)
})

/** Time for a slow gate to refuse after the run has ended. */
const patience = "1 second"

/** The ending after the gates have seen all events: one of them may still refuse. */
export const afterGates = (
  { isHolding, passed, refused }: Outlet,
  ending: Ending,
  unwanted: Effect.Effect<void>,
  expired: Effect.Effect<FailureReason>
): Effect.Effect<Ending> => {
  if (!isHolding()) return Effect.succeed(ending)
  const aborted: Ending = { failure: new Aborted() }
  return Effect.raceAllFirst([
    Effect.as(passed, ending),
    Effect.map(refused, (failure): Ending => ({ failure })),
    ending.failure === undefined
      ? Effect.raceFirst(
          Effect.as(unwanted, aborted),
          Effect.map(expired, (failure): Ending => ({ failure }))
        )
      : Effect.as(Effect.raceFirst(Effect.sleep(patience), unwanted), ending)
  ])
}
