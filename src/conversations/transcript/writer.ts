/** Writes the events of all runs of a store in its own fiber, at most ten times a second. Runs never wait for it. */
import { Array as Arr, Deferred, Effect, Exit, Option, Semaphore } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"
import { changesOf } from "./events.ts"
import { makePending, makeRoom, type Pending } from "./pending.ts"
import { appendRows, keyOfSession, pruneTranscripts } from "./rows.ts"

interface Course {
  readonly pending: Pending
  readonly wake: () => void
  /** The CLI's id of its session. Nothing is written before. */
  readonly opened: (sessionId: string) => void
  readonly end: () => void
}

interface CourseStart {
  readonly runId: string
  readonly cli: string
  readonly redact: (text: string) => string
}

export interface TranscriptWriter {
  readonly begin: (start: CourseStart) => Course
}

interface Running extends CourseStart {
  readonly pending: Pending
  sessionId: string | undefined
  key: string | undefined
  isOver: boolean
  /** Failed searches for the session since its end. */
  misses: number
}

const pause = "100 millis"
const pauseAfterFailure = "1 second"
const closingTime = "3 seconds"
const mostMisses = 20

export const makeTranscriptWriter = Effect.fnUntraced(function* (store: OpenStore, mostPending?: number) {
  const room = makeRoom(mostPending)
  const changes = changesOf(store)
  const running = new Set<Running>()
  let isOneMore = false
  let work = Deferred.makeUnsafe<void>()
  let urgent = Deferred.makeUnsafe<void>()
  const forget = (course: Running) => {
    running.delete(course)
    course.pending.drop(Number.POSITIVE_INFINITY)
  }

  /** Returns whether more is pending. */
  const writeBatch = Effect.fnUntraced(function* (course: Running) {
    const { cli, sessionId, pending } = course
    if (sessionId === undefined) {
      // Without a session its events belong nowhere.
      if (course.isOver) forget(course)
      return false
    }
    course.key ??= yield* keyOfSession(store, cli, sessionId)
    if (course.key === undefined) {
      if (course.isOver && ++course.misses > mostMisses) forget(course)
      return false
    }
    const rows = pending.peek(!course.isOver)
    if (Arr.isReadonlyArrayNonEmpty(rows)) {
      const before = yield* appendRows(store, course.key, rows)
      if (before === undefined) {
        forget(course)
        return false
      }
      pending.drop(rows.length)
      changes.tell(course.key)
      if (before === 0) isOneMore = true
    }
    if (course.isOver && pending.isEmpty()) forget(course)
    return rows.length > 0 && !pending.isEmpty()
  })
  const oneByOne = Semaphore.makeUnsafe(1)
  const writeAll = oneByOne.withPermit(
    Effect.gen(function* () {
      for (const course of [...running]) while (yield* writeBatch(course)) yield* Effect.yieldNow
      if (!isOneMore) return
      yield* pruneTranscripts(store)
      isOneMore = false
    })
  )
  const mustTryAgain = () => [...running].some(({ isOver, sessionId }) => isOver && sessionId !== undefined)
  const round = Effect.gen(function* () {
    yield* Deferred.await(work)
    work = Deferred.makeUnsafe()
    urgent = Deferred.makeUnsafe()
    const failure = yield* Effect.flip(writeAll).pipe(Effect.option)
    if (Option.isNone(failure)) {
      yield* Effect.raceFirst(Effect.sleep(pause), Deferred.await(urgent))
    } else {
      yield* Effect.logWarning("a transcript waits for the store", failure.value)
      yield* Effect.sleep(pauseAfterFailure)
    }
    if (Option.isSome(failure) || mustTryAgain()) Deferred.doneUnsafe(work, Exit.void)
  })
  const writeNow = Effect.ignore(Effect.timeoutOption(writeAll, closingTime))
  changes.writers.add(writeNow)
  yield* Effect.addFinalizer(() => {
    changes.writers.delete(writeNow)
    for (const course of running) course.isOver = true
    return writeNow
  })
  yield* Effect.forkScoped(Effect.forever(round))
  return {
    begin: (start) => {
      const pending = makePending({ ...start, room })
      const course: Running = { ...start, pending, sessionId: undefined, key: undefined, isOver: false, misses: 0 }
      running.add(course)
      const wake = () => {
        if (course.sessionId !== undefined) Deferred.doneUnsafe(work, Exit.void)
      }
      return {
        pending,
        wake,
        opened: (sessionId) => {
          course.sessionId ??= sessionId
          wake()
        },
        end: () => {
          course.isOver = true
          if (course.sessionId === undefined) return forget(course)
          wake()
          Deferred.doneUnsafe(urgent, Exit.void)
        }
      }
    }
  } satisfies TranscriptWriter
})
