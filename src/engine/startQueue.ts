/**
 * A queue of starts, for gates that count the runs and sessions of this process: each waits until nothing blocks it. Of
 * those that wait for the same, the first to come starts first.
 */
import { Deferred, Effect, Schedule } from "effect"
import { monotonicMillis } from "../clock/hostClock.ts"
import { LimitReached, type StartLimit } from "../contract/AgentError.ts"
import { toMillis } from "../contract/input.ts"
import type { GateStart, RunStart, SessionStart } from "../types/Start.ts"
import type { Gate, Permit } from "./Gate.ts"

type ProcessStart = RunStart | SessionStart

export interface Active {
  readonly start: ProcessStart
  readonly startedAtMs: number
  /** The session that its CLI has opened. */
  readonly opened: string | undefined
}

export interface Obstacle {
  readonly limit: StartLimit
  readonly problem: string
}

interface Entry extends Active {
  readonly admitted: Deferred.Deferred<void>
  /** The obstacle at the last check; undefined once it was admitted. */
  obstacle: Obstacle | undefined
  startedAtMs: number
  opened: string | undefined
}

/** Ends and openings are noticed at once; memory and the end of a stagger need polling. */
const polling = Schedule.spaced("250 millis")

export interface StartQueueOptions {
  readonly name: string
  /** The obstacle for a start, given the active ones. */
  readonly obstacleOf: (start: ProcessStart, active: ReadonlyArray<Active>, nowMs: number) => Obstacle | undefined
}

export const makeStartQueue = ({ name, obstacleOf }: StartQueueOptions): Gate => {
  const waiting = new Set<Entry>()
  const active = new Set<Entry>()

  /** Synchronous: its findings still hold when it acts on them. */
  const admitWaiting = Effect.map(monotonicMillis, (nowMs) => {
    for (const entry of waiting) {
      entry.obstacle = obstacleOf(entry.start, [...active], nowMs)
      if (entry.obstacle !== undefined) continue
      waiting.delete(entry)
      active.add(entry)
      entry.startedAtMs = nowMs
      Deferred.doneUnsafe(entry.admitted, Effect.void)
    }
  })

  /** The first in the queue checks for all. */
  const checkAgain = (entry: Entry) =>
    Effect.suspend(() => (waiting.values().next().value === entry ? admitWaiting : Effect.void))

  const wait = Effect.fnUntraced(function* (entry: Entry, { limit, problem }: Obstacle, start: GateStart) {
    const maxWaitMs = toMillis(entry.start.limits.maxWait ?? "Infinity")
    const refuse = Effect.suspend(() => {
      if (entry.obstacle === undefined) return Effect.void
      waiting.delete(entry)
      return Effect.fail(new LimitReached({ ...entry.obstacle, maxWaitMs }))
    })
    if (maxWaitMs === 0) return yield* refuse
    start.queued({ problem, data: { limit } })
    const leftMs = Math.max(0, maxWaitMs - start.waitedMs())
    yield* Effect.raceAllFirst([
      Deferred.await(entry.admitted),
      Effect.andThen(Effect.repeat(checkAgain(entry), polling), Effect.never),
      leftMs === Number.POSITIVE_INFINITY ? Effect.never : Effect.andThen(Effect.sleep(leftMs), refuse)
    ])
  })

  const leave = (entry: Entry) =>
    Effect.suspend(() => {
      waiting.delete(entry)
      active.delete(entry)
      return admitWaiting
    })

  const admit = Effect.fnUntraced(function* (start: GateStart) {
    if (start.type === "turn") return {}
    const entry: Entry = {
      start,
      admitted: Deferred.makeUnsafe(),
      obstacle: undefined,
      startedAtMs: 0,
      opened: undefined
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => waiting.add(entry)),
      () => leave(entry)
    )
    yield* admitWaiting
    if (entry.obstacle !== undefined) yield* wait(entry, entry.obstacle, start)
    const permit: Permit = {
      opened: (sessionId) =>
        Effect.suspend(() => {
          entry.opened = sessionId
          return admitWaiting
        })
    }
    return permit
  })

  return { name, concerns: ["run", "session"], admit }
}
