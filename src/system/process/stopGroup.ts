/**
 * Ends a process and its group: stop signal, grace, SIGKILL. The spawner's `forceKillAfter` (`@effect/platform-node`
 * 4.1.0) measures by the date, which can be set back.
 */
import { type Duration, Effect } from "effect"
import type { ChildProcessSpawner } from "effect/process"

export interface StopOptions {
  readonly signal: "SIGTERM" | "SIGINT"
  /** Between the stop signal and SIGKILL. */
  readonly grace: Duration.Input
}

type Handle = Pick<ChildProcessSpawner.ChildProcessHandle, "pid" | "exitCode" | "isRunning" | "kill">

const pollEvery = "10 millis"
/** After SIGKILL, for the system to remove the last member of the group; a zombie may stay in it forever. */
const reaping = "250 millis"

const hasMembers = (pid: number) => {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

const isGone = (handle: Handle) => Effect.map(handle.isRunning, (isRunning) => !isRunning && !hasMembers(handle.pid))

const untilGone = (handle: Handle): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.orElseSucceed(isGone(handle), () => true),
    (gone) => (gone ? Effect.void : Effect.andThen(Effect.sleep(pollEvery), untilGone(handle)))
  )

/** Whether the effect completed in time. */
const within = (effect: Effect.Effect<void>, time: Duration.Input) =>
  Effect.raceFirst(Effect.as(effect, true), Effect.as(Effect.sleep(time), false))

/** Whether nothing of the group is left. */
export const stopGroup = Effect.fnUntraced(function* (handle: Handle, { signal, grace }: StopOptions) {
  if (yield* Effect.orElseSucceed(isGone(handle), () => true)) return true
  const ended = (killSignal: "SIGTERM" | "SIGINT" | "SIGKILL") =>
    Effect.andThen(Effect.ignore(handle.kill({ killSignal })), untilGone(handle))
  if (yield* within(ended(signal), grace)) return true
  const hasExited = Effect.ignore(handle.exitCode)
  return yield* Effect.raceFirst(
    Effect.as(ended("SIGKILL"), true),
    Effect.as(Effect.andThen(hasExited, Effect.sleep(reaping)), false)
  )
})
