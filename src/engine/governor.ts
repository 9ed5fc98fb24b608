/**
 * Decides when a run may start. It counts the runs of this process, whoever started them, and each waits for the limits
 * of its own agent. Of those that wait for the same, the first to come is the first to start.
 */
import { Context, Deferred, Duration, Effect, Schedule, type Scope } from "effect"
import { monotonicMillis } from "../clock/stopwatch.ts"
import { LimitReached, type StartLimit } from "../contract/AgentError.ts"
import type { NoticeEvent } from "../contract/AgentEvent.ts"
import type { Limits } from "../contract/AgentOptions.ts"

export interface StartRequest {
  readonly cli: string
  readonly limits: Limits
  /** The session that the run goes on with. No CLI keeps two processes from writing to one. */
  readonly sessionId: string | undefined
  /** The run has to wait. */
  readonly onQueued: (notice: NoticeEvent) => void
}

export interface Permit {
  /** The CLI has opened its session: the next one need not wait for it, unless it wants the same. */
  readonly opened: (sessionId: string) => Effect.Effect<void>
}

export interface Governor {
  /** Waits until the run may start. Its place is free again when the scope closes. */
  readonly admit: (request: StartRequest) => Effect.Effect<Permit, LimitReached, Scope.Scope>
}

interface Run extends StartRequest {
  readonly admitted: Deferred.Deferred<void>
  /** What was in its way when it was last looked at; nothing once it was admitted. */
  obstacle: Obstacle | undefined
  startedAtMs: number
  opened: string | undefined
}

interface Obstacle {
  readonly limit: StartLimit
  readonly problem: string
}

interface Situation {
  readonly going: ReadonlyArray<Run>
  readonly availableMemory: () => number
  readonly nowMs: number
}

const goOn = (count: number, what: string) => (count === 1 ? `1 run${what} goes on` : `${count} runs${what} go on`)

const none = Number.POSITIVE_INFINITY

const obstacleOf = ({ cli, limits, sessionId }: StartRequest, situation: Situation): Obstacle | undefined => {
  const { going, availableMemory, nowMs } = situation
  const { total = none, perCli = none, stagger = 0, freeMemoryBytes } = limits
  const same = going.filter((run) => run.cli === cli)
  const isStarting = (run: Run) => run.opened === undefined && nowMs - run.startedAtMs < Duration.toMillis(stagger)
  const isOnSession = (run: Run) => sessionId !== undefined && (run.sessionId === sessionId || run.opened === sessionId)
  if (same.some(isOnSession)) return { limit: "session", problem: "another run uses the session" }
  if (going.length >= total) return { limit: "total", problem: `${goOn(going.length, "")} (limits.total)` }
  if (same.length >= perCli) return { limit: "perCli", problem: `${goOn(same.length, ` of ${cli}`)} (limits.perCli)` }
  if (same.some(isStarting)) return { limit: "stagger", problem: `another run of ${cli} starts (limits.stagger)` }
  if (freeMemoryBytes === undefined) return undefined
  const freeBytes = availableMemory()
  if (freeBytes >= freeMemoryBytes) return undefined
  const problem = `${Math.floor(freeBytes / 2 ** 20)} MiB of memory are available (limits.freeMemoryBytes)`
  return { limit: "freeMemoryBytes", problem }
}

/** What ends or opens lets the others in at once; memory and the end of a stagger must be looked for. */
const nowAndThen = Schedule.spaced("250 millis")

export const makeGovernor = (availableMemory: () => number): Governor => {
  const waiting = new Set<Run>()
  const going = new Set<Run>()

  /** Synchronous: what it has found still holds when it acts on it. */
  const admitWaiting = Effect.map(monotonicMillis, (nowMs) => {
    for (const run of waiting) {
      run.obstacle = obstacleOf(run, { going: [...going], availableMemory, nowMs })
      if (run.obstacle !== undefined) continue
      waiting.delete(run)
      going.add(run)
      run.startedAtMs = nowMs
      Deferred.doneUnsafe(run.admitted, Effect.void)
    }
  })

  /** One that waits looks for all. */
  const lookAgain = (run: Run) =>
    Effect.suspend(() => (waiting.values().next().value === run ? admitWaiting : Effect.void))

  const wait = Effect.fnUntraced(function* (run: Run, { limit, problem }: Obstacle) {
    const maxWaitMs = Duration.toMillis(run.limits.maxWait ?? Duration.infinity)
    const refuse = Effect.suspend(() => {
      if (run.obstacle === undefined) return Effect.void
      waiting.delete(run)
      return Effect.fail(new LimitReached({ ...run.obstacle, maxWaitMs }))
    })
    if (maxWaitMs === 0) return yield* refuse
    run.onQueued({ type: "notice", kind: "queued", message: `The start waits: ${problem}`, data: { limit } })
    yield* Effect.raceAllFirst([
      Deferred.await(run.admitted),
      Effect.andThen(Effect.repeat(lookAgain(run), nowAndThen), Effect.never),
      maxWaitMs === none ? Effect.never : Effect.andThen(Effect.sleep(maxWaitMs), refuse)
    ])
  })

  const leave = (run: Run) =>
    Effect.suspend(() => {
      waiting.delete(run)
      going.delete(run)
      return admitWaiting
    })

  const admit = Effect.fnUntraced(function* (request: StartRequest) {
    const run: Run = {
      ...request,
      admitted: Deferred.makeUnsafe(),
      obstacle: undefined,
      startedAtMs: 0,
      opened: undefined
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => waiting.add(run)),
      () => leave(run)
    )
    yield* admitWaiting
    if (run.obstacle !== undefined) yield* wait(run, run.obstacle)
    const permit: Permit = {
      opened: (sessionId) =>
        Effect.suspend(() => {
          run.opened = sessionId
          return admitWaiting
        })
    }
    return permit
  })

  return { admit }
}

/** One for the whole process; tests put their own in its place. */
export const StartGovernor = Context.Reference<Governor>("reins/StartGovernor", {
  defaultValue: () => makeGovernor(() => process.availableMemory())
})
