/**
 * Writes the events of all runs of a store, in a fiber of its own: at once, then ten times a second at most. A run never
 * waits for it. What cannot be written stays until it can, as long as there is room.
 */
import { Array as Arr, Deferred, Effect, Exit, Option, Semaphore } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"
import { changesOf } from "./events.ts"
import { makePending, makeRoom, type Pending } from "./pending.ts"
import { appendRows, keyOfSession, pruneTranscripts } from "./rows.ts"

/** One run or live session. */
interface Course {
  readonly pending: Pending
  /** Call it when something is pending. */
  readonly wake: () => void
  /** The CLI's id of its session. Nothing is written before. */
  readonly opened: (sessionId: string) => void
  /** Nothing follows. */
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
  /** Since its end, the session was looked for and not found. */
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

  /** Gives whether there is more of it. */
  const writeBatch = Effect.fnUntraced(function* (course: Running) {
    const { cli, sessionId, pending } = course
    if (sessionId === undefined) {
      // It came to no session: there is nothing to which its events belong.
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

  const writer: TranscriptWriter = {
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
  }
  return writer
})
