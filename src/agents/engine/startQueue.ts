/**
 * A queue of starts, for gates that count the runs and sessions of this process: each waits until nothing blocks it; among
 * those that wait for the same, the first to come starts first. The entries are plain data and functions, since they may be
 * of several copies of this package.
 */
import { Clock, Deferred, Effect, Schedule } from "effect"
import { type FailureReason, LimitReached, type StartLimit } from "../../contract/AgentError.ts"
import { toMillis } from "../../contract/Input.ts"
import type { GateStart, RunStart, SessionStart } from "../../contract/Start.ts"
import { monotonicMillisOf } from "../../system/hostClock.ts"
import type { Gate, Permit } from "./Gate.ts"

/** The part of a start that decides. */
interface Wanted {
  readonly cli: string
  /** The session that it writes to, if it is known. */
  readonly sessionId: string | undefined
  /** Without a limit, `Infinity`. */
  readonly total: number
  readonly perCli: number
  readonly staggerMs: number
  readonly freeMemoryBytes: number
}

export interface Active extends Wanted {
  readonly startedAtMs: number
  readonly opened: string | undefined
}

interface Obstacle {
  readonly limit: StartLimit
  readonly problem: string
}

interface Entry extends Active {
  /** Lets it start, when nothing blocks it. */
  readonly admit: () => void
  /** The obstacle at the last check; undefined once it was admitted. */
  obstacle: Obstacle | undefined
  startedAtMs: number
  opened: string | undefined
}

export interface StartQueue {
  readonly waiting: Set<Entry>
  readonly active: Set<Entry>
}

export const newQueue = (): StartQueue => ({ waiting: new Set(), active: new Set() })

/** Ends and openings are noticed at once; memory and the end of a stagger need polling. */
const polling = Schedule.spaced("250 millis")

export type ProcessStart = Exclude<GateStart, { readonly type: "turn" }>

export interface StartQueueOptions {
  readonly name: string
  /** The reason why a blocked start does not wait. */
  readonly refusal?: (start: ProcessStart) => FailureReason | undefined
  readonly meanwhile?: (start: ProcessStart) => Effect.Effect<never>
  readonly obstacleOf: (wanted: Wanted, active: ReadonlyArray<Active>, nowMs: number) => Obstacle | undefined
}

const wantedBy = ({ cli, limits, params: { sessionId, forkSession } }: RunStart | SessionStart): Wanted => {
  const { total = none, perCli = none, stagger = 0, freeMemoryBytes = 0 } = limits
  // A fork does not write to the session.
  const resumedId = forkSession === true ? undefined : sessionId
  return { cli, sessionId: resumedId, total, perCli, staggerMs: toMillis(stagger), freeMemoryBytes }
}

const none = Number.POSITIVE_INFINITY

export const makeStartQueue = (
  { waiting, active }: StartQueue,
  { name, obstacleOf, refusal, meanwhile }: StartQueueOptions
): Gate => {
  /** Synchronous: its findings still hold when it acts on them. */
  const admitWaiting = (clock: Clock.Clock) => {
    const nowMs = monotonicMillisOf(clock)
    for (const entry of waiting) {
      entry.obstacle = obstacleOf(entry, [...active], nowMs)
      if (entry.obstacle !== undefined) continue
      waiting.delete(entry)
      active.add(entry)
      entry.startedAtMs = nowMs
      entry.admit()
    }
  }

  /** The first in the queue checks for all. */
  const checkAgain = (entry: Entry, clock: Clock.Clock) =>
    Effect.sync(() => {
      if (waiting.values().next().value === entry) admitWaiting(clock)
    })

  const wait = Effect.fnUntraced(function* (
    entry: Entry,
    admitted: Effect.Effect<void>,
    { limit, problem }: Obstacle,
    start: ProcessStart,
    clock: Clock.Clock
  ) {
    const maxWaitMs = toMillis(start.limits.maxWait ?? "Infinity")
    const refuse = Effect.suspend(() => {
      if (entry.obstacle === undefined) return Effect.void
      waiting.delete(entry)
      return Effect.fail(new LimitReached({ ...entry.obstacle, maxWaitMs }))
    })
    const refused = refusal?.(start)
    if (refused !== undefined) {
      waiting.delete(entry)
      return yield* Effect.fail(refused)
    }
    if (maxWaitMs === 0) return yield* refuse
    start.queued({ problem, data: { limit } })
    const leftMs = Math.max(0, maxWaitMs - start.waitedMs())
    yield* Effect.raceAllFirst([
      admitted,
      Effect.andThen(Effect.repeat(checkAgain(entry, clock), polling), Effect.never),
      meanwhile?.(start) ?? Effect.never,
      leftMs === Number.POSITIVE_INFINITY ? Effect.never : Effect.andThen(Effect.sleep(leftMs), refuse)
    ])
  })

  const admit = Effect.fnUntraced(function* (start: GateStart) {
    if (start.type === "turn") return {}
    const clock = yield* Clock.Clock
    const admitted = Deferred.makeUnsafe<void>()
    const entry: Entry = {
      ...wantedBy(start),
      admit: () => Deferred.doneUnsafe(admitted, Effect.void),
      obstacle: undefined,
      startedAtMs: 0,
      opened: undefined
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        waiting.delete(entry)
        active.delete(entry)
        admitWaiting(clock)
      })
    )
    waiting.add(entry)
    admitWaiting(clock)
    if (entry.obstacle !== undefined) yield* wait(entry, Deferred.await(admitted), entry.obstacle, start, clock)
    const permit: Permit = {
      opened: (sessionId) =>
        Effect.sync(() => {
          entry.opened = sessionId
          admitWaiting(clock)
        })
    }
    return permit
  })

  return { name, concerns: ["run", "session"], admit }
}
