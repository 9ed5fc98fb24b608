/** The ways a run can end that the CLI does not tell, and what happens to its process after the end. */
import { Deferred, Duration, Effect } from "effect"
import type { Verdict } from "../cli/Decoder.ts"
import { Aborted, TimedOut } from "../contract/AgentError.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { ProcessExit } from "../contract/AgentRunResult.ts"
import type { RunProcess } from "../process/launch.ts"
import { type Ending, endingOf, judge } from "./judge.ts"
import type { Watchdog } from "./watchdog.ts"

/** What the CLI has said of the end, once all that it had printed is read. */
export type VerdictAtEnd = (exit: ProcessExit | undefined) => Verdict | undefined

/** The process is gone; what it had printed is read first: `read` returns when that is so. */
export const exited = Effect.fnUntraced(function* (
  process: RunProcess,
  read: Effect.Effect<void>,
  verdict: VerdictAtEnd
) {
  const exit = yield* process.finished
  yield* read
  return judge(verdict(exit), exit, process.stderr())
})

/** An exit comes right behind the end of stdout, and says more. */
const exitDelay = "2 seconds"

/** stdout has ended and the process stays: it can say no more, so what it has said decides. */
export const muted = Effect.fnUntraced(function* (
  process: RunProcess,
  read: Effect.Effect<void>,
  verdict: VerdictAtEnd
) {
  yield* read
  const hasLeft = yield* Effect.raceFirst(Effect.as(process.exit, true), Effect.as(Effect.sleep(exitDelay), false))
  if (hasLeft) return yield* Effect.never
  return endingOf(verdict(undefined))
})

/** A silence after the result confirms it; any other ends the run for its being silent. */
export const silenced = (
  { caughtUp }: Pick<RunProcess, "caughtUp">,
  watchdog: Watchdog,
  verdict: VerdictAtEnd
): Effect.Effect<Ending> =>
  Effect.map(watchdog.fired(caughtUp), ({ state, budgetMs }) => {
    if (state === "linger") return { ...endingOf(verdict(undefined)), mayLinger: false }
    return { failure: new TimedOut({ state, budgetMs }) }
  })

/** The caller's signal; never without one. */
export const aborted = (signal: AbortSignal | undefined): Effect.Effect<void> => {
  if (signal === undefined) return Effect.never
  return Effect.callback<void>((resume) => {
    const abort = () => resume(Effect.void)
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })
}

/** Nobody wants it any more: by the signal in the params, or because the caller has left. */
export const departure = (signal: AbortSignal | undefined, left: Deferred.Deferred<void>) => {
  const abort = aborted(signal)
  const unwanted = Effect.raceFirst(abort, Deferred.await(left))
  return {
    isGone: () => signal?.aborted === true || Deferred.isDoneUnsafe(left),
    abort,
    unwanted,
    leave: Effect.andThen(unwanted, new Aborted())
  }
}

const spokenGrace = Duration.seconds(10)
/** A process that never printed a line has nothing to save. */
const silentGrace = Duration.seconds(2)

/** Between the stop signal and SIGKILL. */
export const killGrace = (options: AgentOptions, hasSpoken: boolean): Duration.Input =>
  options.killGrace ?? (hasSpoken ? spokenGrace : silentGrace)

export interface SettleOptions {
  /** How long the process may take to leave by itself. */
  readonly lingerMs: number
  /** Cuts that short. */
  readonly hurry: Effect.Effect<void>
  readonly grace: Duration.Input
}

/** Lets the process leave by itself, then ends its group. */
export const settle = Effect.fnUntraced(function* (process: RunProcess, { lingerMs, hurry, grace }: SettleOptions) {
  const patience = lingerMs === 0 ? Effect.void : Effect.raceFirst(Effect.sleep(lingerMs), hurry)
  const hasLeft = yield* Effect.raceFirst(Effect.as(process.exit, true), Effect.as(patience, false))
  if (hasLeft) return
  if (lingerMs > 0) {
    yield* Effect.annotateCurrentSpan("lingered", true)
    yield* Effect.logWarning("the process lingered after its result and is ended", { lingerMs })
  }
  yield* process.stop(grace)
})
