/** The ends of a run that the CLI does not report, and the end of its process. */
import { Deferred, Effect, Fiber, Option } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Verdict } from "../../cli/Decoder.ts"
import { NotInstalled, TimedOut } from "../../contract/AgentError.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { toMillis } from "../../contract/Input.ts"
import { present } from "../../contract/present.ts"
import { untraced } from "../../contract/untraced.ts"
import type { RunProcess } from "../../system/process/launch.ts"
import type { EventGate } from "./eventGate.ts"
import { type Ending, endingOf, judge } from "./judge.ts"
import type { Stop } from "./stop.ts"
import type { Watchdog } from "./watchdog.ts"

/** The CLI's verdict, once all of its output is read. */
export type VerdictAtEnd = (exit: ProcessExit | undefined) => Verdict | undefined

/**
 * Called when the answer is whole, and the CLI has not reported its end within `budgetMs`. Returns the end of the process;
 * undefined if only a turn has ended.
 */
export type Settle = (budgetMs: number) => Ending | undefined

/** The exit usually follows the end of stdout at once, and has more information. */
const exitDelay = "2 seconds"

/**
 * Completes when the reader has read all of stdout, which ends after the exit at the latest. If the process stays after the
 * end of stdout, the verdict so far counts.
 */
export const exited = Effect.fnUntraced(function* (
  process: RunProcess,
  reader: Fiber.Fiber<void>,
  verdict: VerdictAtEnd
) {
  yield* Fiber.join(reader)
  yield* Effect.timeoutOption(Deferred.await(process.exit), exitDelay)
  if (!Deferred.isDoneUnsafe(process.exit)) return endingOf(verdict(undefined))
  const exit = yield* process.finished
  return judge(verdict(exit), exit, process.stderr())
})

/** A time limit was reached: a failure, unless the answer is there and only the CLI's report or the exit is missing. */
export const timedOut = Effect.fn(...untraced("Endings.timedOut"))(function* (
  { caughtUp }: Pick<RunProcess, "caughtUp">,
  watchdog: Watchdog,
  { verdict, settle }: { readonly verdict: VerdictAtEnd; readonly settle: Settle }
) {
  while (true) {
    const { state, budgetMs } = yield* watchdog.fired(caughtUp)
    if (state === "linger") return { ...endingOf(verdict(undefined)), mayLinger: false }
    if (state !== "settle") return { failure: new TimedOut({ state, budgetMs }) }
    const ending = settle(budgetMs)
    if (ending !== undefined) return ending
  }
})

const spokenGrace = 10_000
/** A process that never printed a line has no state to save. */
const silentGrace = 2_000

/** Time between the stop signal and SIGKILL, in milliseconds. */
export const killGrace = (options: AgentOptions, hasSpoken: boolean): number =>
  toMillis(options.killGrace ?? (hasSpoken ? spokenGrace : silentGrace))

/** Waits for the process to exit by itself, until `hurry` at most, then ends its process group. Times are in milliseconds. */
export const endProcess = Effect.fnUntraced(function* (
  process: RunProcess,
  {
    lingerMs,
    hurry,
    grace
  }: { readonly lingerMs: number; readonly hurry: Effect.Effect<unknown>; readonly grace: number }
) {
  const { exit } = process
  if (Deferred.isDoneUnsafe(exit)) return
  if (lingerMs > 0) {
    yield* Effect.raceAllFirst([Deferred.await(exit), Effect.sleep(lingerMs), hurry])
    if (Deferred.isDoneUnsafe(exit)) return
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
    Effect.timeoutOption(Deferred.await(exit), reportBudget),
    Option.match({ onNone: () => Effect.void, onSome: left })
  )

/** Time for a slow gate to refuse after the run has ended. */
const patience = "1 second"

/** The ending after the gates have seen all events: one of them may still refuse. */
export const afterGates = ({ isHolding, passed }: EventGate, ending: Ending, stop: Stop): Effect.Effect<Ending> => {
  if (!isHolding()) return Effect.succeed(ending)
  const isFailed = ending.failure !== undefined
  return Effect.raceAllFirst([
    Effect.as(passed, ending),
    Effect.map(Deferred.await(stop), ({ by, failure }) => (isFailed && by !== "gate" ? ending : { failure })),
    isFailed ? Effect.as(Effect.sleep(patience), ending) : Effect.never
  ])
}

/** The end of a process whose program is missing. */
export const notInstalled = ({ install, otherInstalls, signIn }: Cli, command: string): NotInstalled =>
  new NotInstalled({ command, install, ...present({ otherInstalls }), signIn })
