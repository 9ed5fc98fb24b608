/** The ends of a run that the CLI does not report, and the end of its process. */
import { Effect, Option } from "effect"
import type { Verdict } from "../../cli/Decoder.ts"
import { Aborted, type FailureReason, TimedOut } from "../../contract/AgentError.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { toMillis } from "../../contract/Input.ts"
import type { RunProcess } from "../../system/process/launch.ts"
import { either, type Listen, mapped, type Once, waitDuring, waitFor } from "../../system/process/once.ts"
import type { EventGate } from "./eventGate.ts"
import { type Ending, endingOf, judge } from "./judge.ts"
import type { Watchdog } from "./watchdog.ts"

/** The CLI's verdict, once all of its output is read. */
export type VerdictAtEnd = (exit: ProcessExit | undefined) => Verdict | undefined

/** The exit usually follows the end of stdout at once, and has more information. */
const exitDelay = "2 seconds"

/**
 * Completes when the process has exited and all of its output is read, which is when `read` happens. If the process stays
 * after the end of stdout, the verdict so far counts.
 */
export const exited = Effect.fnUntraced(function* (process: RunProcess, read: Listen<void>, verdict: VerdictAtEnd) {
  yield* waitFor(either<unknown>(process.exit.listen, read))
  if (!process.exit.hasHappened()) yield* waitDuring(Effect.sleep(exitDelay), process.exit.listen)
  if (!process.exit.hasHappened()) return endingOf(verdict(undefined))
  const exit = yield* process.finished
  yield* waitFor(read)
  return judge(verdict(exit), exit, process.stderr())
})

/** A time limit was reached: a failure, unless the result is there and only the exit is missing. */
export const timedOut = (
  { caughtUp }: Pick<RunProcess, "caughtUp">,
  watchdog: Watchdog,
  verdict: VerdictAtEnd
): Effect.Effect<Ending> =>
  Effect.map(watchdog.fired(caughtUp), ({ state, budgetMs }) => {
    if (state === "linger") return { ...endingOf(verdict(undefined)), mayLinger: false }
    return { failure: new TimedOut({ state, budgetMs }) }
  })

const abortOf =
  (signal: AbortSignal | undefined): Listen<void> =>
  (callback) => {
    if (signal === undefined) return () => {}
    const abort = () => callback(Effect.void)
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
    return () => signal.removeEventListener("abort", abort)
  }

export const aborted = (signal: AbortSignal | undefined): Effect.Effect<void> => waitFor(abortOf(signal))

/** The caller has aborted by its signal, or has left. */
export const departure = (signal: AbortSignal | undefined, left: Once<void>) => {
  const abort = abortOf(signal)
  const unwanted = either(abort, left.listen)
  return {
    isGone: () => signal?.aborted === true || left.hasHappened(),
    abort,
    unwanted,
    leave: Effect.flatMap(waitFor(unwanted), () => new Aborted())
  }
}

const spokenGrace = 10_000
/** A process that never printed a line has no state to save. */
const silentGrace = 2_000

/** Time between the stop signal and SIGKILL, in milliseconds. */
export const killGrace = (options: AgentOptions, hasSpoken: boolean): number =>
  toMillis(options.killGrace ?? (hasSpoken ? spokenGrace : silentGrace))

/** Waits for the process to exit by itself, until `hurry` at most, then ends its process group. Times are in milliseconds. */
export const endProcess = Effect.fnUntraced(function* (
  process: RunProcess,
  { lingerMs, hurry, grace }: { readonly lingerMs: number; readonly hurry: Listen<unknown>; readonly grace: number }
) {
  const { exit } = process
  if (exit.hasHappened()) return
  if (lingerMs > 0) {
    yield* waitDuring(Effect.sleep(lingerMs), either<unknown>(exit.listen, hurry))
    if (exit.hasHappened()) return
    // A span of an application's tracer may throw.
    yield* Effect.ignoreCause(Effect.annotateCurrentSpan("reins.lingered", true))
    yield* Effect.logWarning("the process lingered after its result and is ended", { lingerMs })
  }
  yield* process.stop(grace)
})

/** The kernel is faster than Node, which reports the exit of a process that was killed a moment later. */
const reportBudget = "1 second"

/** Calls `left` with the way in which the process exited, if the system reports it. */
export const afterExit = (
  { exit }: RunProcess,
  left: (exit: ProcessExit) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.timeoutOption(exit.wait, reportBudget),
    Option.match({ onNone: () => Effect.void, onSome: left })
  )

/** Time for a slow gate to refuse after the run has ended. */
const patience = "1 second"

/** The ending after the gates have seen all events: one of them may still refuse. */
export const afterGates = (
  { isHolding, passed, refused }: EventGate,
  ending: Ending,
  unwanted: Listen<void>,
  expired: Listen<FailureReason>
): Effect.Effect<Ending> => {
  if (!isHolding()) return Effect.succeed(ending)
  const failing = (failure: FailureReason): Ending => ({ failure })
  return Effect.raceAllFirst([
    Effect.as(passed, ending),
    waitFor(mapped(refused.listen, failing)),
    ending.failure === undefined
      ? waitFor(
          either(
            mapped(unwanted, () => failing(new Aborted())),
            mapped(expired, failing)
          )
        )
      : Effect.as(waitDuring(Effect.sleep(patience), unwanted), ending)
  ])
}
