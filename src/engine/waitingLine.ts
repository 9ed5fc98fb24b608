/**
 * A line of those that wait until nothing is in their way any more, for gates that count what goes on in this process.
 * Of those that wait for the same, the first to come is the first to start.
 */
import { Deferred, Duration, Effect, Schedule } from "effect"
import { monotonicMillis } from "../clock/stopwatch.ts"
import { LimitReached, type StartLimit } from "../contract/AgentError.ts"
import type { RunStart, SessionStart } from "../contract/Start.ts"
import type { Gate, GateStart, Permit } from "./Gate.ts"

type ProcessStart = RunStart | SessionStart

export interface Going {
  readonly start: ProcessStart
  readonly startedAtMs: number
  /** Its CLI has opened this session. */
  readonly opened: string | undefined
}

export interface Obstacle {
  readonly limit: StartLimit
  readonly problem: string
}

interface Place extends Going {
  readonly admitted: Deferred.Deferred<void>
  /** What was in its way when it was last looked at; nothing once it was admitted. */
  obstacle: Obstacle | undefined
  startedAtMs: number
  opened: string | undefined
}

/** What ends or opens lets the others in at once; memory and the end of a stagger must be looked for. */
const nowAndThen = Schedule.spaced("250 millis")

export interface WaitingLineOptions {
  readonly name: string
  /** What is in the way of a start, while those others go on. */
  readonly obstacleOf: (start: ProcessStart, going: ReadonlyArray<Going>, nowMs: number) => Obstacle | undefined
}

export const makeWaitingLine = ({ name, obstacleOf }: WaitingLineOptions): Gate => {
  const waiting = new Set<Place>()
  const going = new Set<Place>()

  /** Synchronous: what it has found still holds when it acts on it. */
  const admitWaiting = Effect.map(monotonicMillis, (nowMs) => {
    for (const place of waiting) {
      place.obstacle = obstacleOf(place.start, [...going], nowMs)
      if (place.obstacle !== undefined) continue
      waiting.delete(place)
      going.add(place)
      place.startedAtMs = nowMs
      Deferred.doneUnsafe(place.admitted, Effect.void)
    }
  })

  /** One that waits looks for all. */
  const lookAgain = (place: Place) =>
    Effect.suspend(() => (waiting.values().next().value === place ? admitWaiting : Effect.void))

  const wait = Effect.fnUntraced(function* (place: Place, { limit, problem }: Obstacle, start: GateStart) {
    const maxWaitMs = Duration.toMillis(place.start.limits.maxWait ?? Duration.infinity)
    const refuse = Effect.suspend(() => {
      if (place.obstacle === undefined) return Effect.void
      waiting.delete(place)
      return Effect.fail(new LimitReached({ ...place.obstacle, maxWaitMs }))
    })
    if (maxWaitMs === 0) return yield* refuse
    start.queued({ problem, data: { limit } })
    const leftMs = Math.max(0, maxWaitMs - start.waitedMs())
    yield* Effect.raceAllFirst([
      Deferred.await(place.admitted),
      Effect.andThen(Effect.repeat(lookAgain(place), nowAndThen), Effect.never),
      leftMs === Number.POSITIVE_INFINITY ? Effect.never : Effect.andThen(Effect.sleep(leftMs), refuse)
    ])
  })

  const leave = (place: Place) =>
    Effect.suspend(() => {
      waiting.delete(place)
      going.delete(place)
      return admitWaiting
    })

  const admit = Effect.fnUntraced(function* (start: GateStart) {
    if (start.type === "turn") return {}
    const place: Place = {
      start,
      admitted: Deferred.makeUnsafe(),
      obstacle: undefined,
      startedAtMs: 0,
      opened: undefined
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => waiting.add(place)),
      () => leave(place)
    )
    yield* admitWaiting
    if (place.obstacle !== undefined) yield* wait(place, place.obstacle, start)
    const permit: Permit = {
      opened: (sessionId) =>
        Effect.suspend(() => {
          place.opened = sessionId
          return admitWaiting
        })
    }
    return permit
  })

  return { name, concerns: ["run", "session"], admit }
}
