/**
 * Holds a session or a conversation, so that no other process of this user has it: by a lock of the kernel, which is
 * released when its holder dies and at no other time. Waiting suspends a fiber, never the event loop.
 */
import { lstatSync, rmSync, utimesSync } from "node:fs"
import { opendir } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Context, Effect, Exit, Option, Random, Scope, Semaphore } from "effect"
import { SessionBusy } from "../../contract/AgentError.ts"
import { hostWide } from "../../contract/acrossCopies.ts"
import type { Waiting } from "../../contract/Start.ts"
import { isoTime } from "../../contract/text/amounts.ts"
import { untraced } from "../../contract/untraced.ts"
import { hostClock, inHostTime } from "../../system/hostClock.ts"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import type { LockRefused } from "../../system/locks/kernelLock.ts"
import { findStateDirectory } from "../../system/locks/stateDirectory.ts"
import { Host } from "../../system/process/host.ts"
import {
  asHolder,
  describeHolder,
  type HolderFile,
  hostIdOf,
  readHolder,
  removeHolder,
  writeHolder
} from "./holderFile.ts"
import { endLeftovers } from "./leftovers.ts"
import {
  askFor,
  isWanted,
  keepAsking,
  lockName,
  locksName,
  openPlace,
  type Place,
  type Subject,
  subjectName,
  suffixes
} from "./place.ts"

const dayMs = 86_400_000
const keptMs = 30 * dayMs
const delayMs = 5_000
/** Most lock files that are looked at, in a directory of any size. */
const mostLooks = 2_000
const lockFile = /^(?:session|conversation)-([0-9a-f])[0-9a-f]{63}$/

/** The locks whose digest begins with the hexadecimal digit of the day. */
const namesOf = async (directory: string, digit: string) => {
  const names: Array<string> = []
  for await (const { name } of await opendir(directory, { bufferSize: 256 })) {
    if (lockFile.exec(name)?.[1] === digit) names.push(name)
    if (names.length >= mostLooks) break
  }
  return names
}

const isOld = (file: string, nowMs: number) => {
  const info = lstatSync(file, { throwIfNoEntry: false })
  return info !== undefined && nowMs - info.mtimeMs > keptMs
}

const removeOne = Effect.fn(...untraced("Hold.removeOne"))(function* (file: string, nowMs: number) {
  const { tryLock } = yield* FileLocks
  if (!isOld(file, nowMs) || !(yield* tryLock(file)) || !isOld(file, nowMs)) return
  for (const suffix of ["", ...Object.values(suffixes)]) rmSync(`${file}${suffix}`, { force: true })
}, Effect.scoped)

/** Removes lock files that were unused for 30 days, while holding each. Returns the number of looks. */
export const collectLocks = Effect.gen(function* () {
  const state = yield* Effect.option(findStateDirectory)
  if (Option.isNone(state)) return 0
  const directory = join(state.value, locksName)
  const nowMs = yield* Clock.currentTimeMillis
  const digit = (Math.floor(nowMs / dayMs) % 16).toString(16)
  const names = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => namesOf(directory, digit)),
    () => []
  )
  for (const name of names) {
    yield* Effect.ignoreCause(removeOne(join(directory, name), nowMs))
    yield* Effect.yieldNow
  }
  return names.length
})

/** Collects later, in the background, once per process; does not keep the process alive. */
const collectLater = Effect.gen(function* () {
  const state = hostWide("lock-collector@1", () => ({ isDone: false }))
  if (state.isDone) return
  state.isDone = true
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  setTimeout(() => fork(collectLocks), delayMs).unref()
})

export interface HoldOptions {
  readonly subject: Subject
  /** The mark of the run or live session that holds it. */
  readonly runId: string
  /**
   * `write`: exclusive. `read`, and `opened` by a CLI that is already running: another run of this process may hold it;
   * then it is not held for this one, and the holder is not asked to close.
   */
  readonly use: "write" | "read" | "opened"
  /** Time to wait for another holder, in milliseconds. */
  readonly patienceMs: number
  /** Called when it has to wait: for a holder, or for leftovers of one that died. */
  readonly queued: (waiting: Waiting) => void
}

export interface Held {
  /** Another process, or another run of this one, waits for it. */
  readonly isWanted: () => boolean
  /** Releases before the scope closes. */
  readonly release: Effect.Effect<void>
}

/** It is not held. `problem`: it cannot be held by any process. Undefined: another run of this process has it. */
export interface Unheld {
  readonly problem: string | undefined
}

type Holder = HolderFile | "unreadable" | undefined

/** The locks that this process holds. Tests have another process in the same one. */
export const OwnLocks = Context.Reference<Set<string>>("reins/OwnLocks", {
  defaultValue: () => hostWide("held-locks@1", () => new Set<string>())
})

/** In a scope of its own, so that a lock that is not taken leaves no file open. */
const attempt = Effect.fn(...untraced("Hold.attempt"))(function* (
  file: string
): Effect.fn.Return<Scope.Closeable | undefined, LockRefused, Scope.Scope> {
  const { tryLock } = yield* FileLocks
  const scope = yield* Scope.fork(yield* Effect.scope)
  const isTaken = yield* Effect.onError(Scope.provide(tryLock(file), scope), () => Scope.close(scope, Exit.void))
  if (isTaken) return scope
  yield* Scope.close(scope, Exit.void)
  return undefined
}, Effect.uninterruptible)

/** Marks the last use, for the collector. A file whose time cannot be set is collected early, and made again. */
const touch = (file: string) => {
  const now = new Date()
  return Effect.ignore(Effect.try(() => utimesSync(file, now, now)))
}

const settle = Effect.fn(...untraced("Hold.settle"))(function* (
  place: Place,
  { subject, runId }: HoldOptions,
  scope: Scope.Closeable
) {
  const clock = yield* hostClock
  const holder = yield* describeHolder(subject, runId, clock.currentTimeMillisUnsafe())
  const ownLocks = yield* OwnLocks
  ownLocks.add(place.lock)
  // Runs before the lock is released: without the lock the file must not be removed.
  yield* Scope.addFinalizer(
    scope,
    Effect.andThen(
      removeHolder(place),
      Effect.sync(() => ownLocks.delete(place.lock))
    )
  )
  yield* writeHolder(place, holder)
  yield* touch(place.lock)
  yield* collectLater
  const held: Held = { isWanted: () => isWanted(place), release: Scope.close(scope, Exit.void) }
  return held
}, Effect.uninterruptible)

const uses = ({ what }: Subject, holder: Holder, isOwn: boolean): Waiting => {
  if (holder === undefined || holder === "unreadable") {
    return { problem: `another ${isOwn ? "run" : "process"} uses the ${what}`, data: { limit: "session" } }
  }
  const data = { limit: "session", holder: asHolder(holder) }
  if (isOwn) return { problem: `another run uses the ${what}`, data }
  const since = isoTime(holder.since)
  const time = since === undefined ? "" : ` since ${since}`
  return { problem: `process ${holder.pid} on ${holder.host} uses the ${what}${time}`, data }
}

const busy = (subject: Subject, holder: Holder, waitedMs: number) =>
  new SessionBusy({
    what: subject.what,
    subject: subjectName(subject),
    ...(holder === undefined || holder === "unreadable" ? {} : { holder: asHolder(holder) }),
    waitedMs
  })

/** Least number of attempts: others hold a lock for a moment to see whether it is free. */
const fewest = 4
const firstPauseMs = 2
const longestPauseMs = 50
/** A holder writes its file after it has taken its lock. */
const announceMs = 20

/** `scope`: of the lock, since that of the effect closes when the lock is taken. */
const take = Effect.fn(...untraced("Hold.take"))(function* (place: Place, options: HoldOptions, scope: Scope.Scope) {
  const { subject, use, patienceMs, queued } = options
  const { id: ownId } = yield* Host
  const ownLocks = yield* OwnLocks
  const clock = yield* hostClock
  const startedMs = clock.ranMillisUnsafe()
  const elapsedMs = () => Math.round(clock.ranMillisUnsafe() - startedMs)
  let isTold = patienceMs <= 0
  let isAsking = isTold || use !== "write"
  let pauseMs = firstPauseMs
  for (let round = 1; ; round++) {
    const lock = yield* Scope.provide(attempt(place.lock), scope)
    const isLast = elapsedMs() >= patienceMs && round >= fewest
    const isOwn = lock === undefined && ownLocks.has(place.lock)
    if (use !== "write" && isOwn) return { problem: undefined }
    const holder = lock !== undefined || !isTold || isLast ? yield* readHolder(place) : undefined
    if (lock !== undefined) {
      // A run of this process has released it, whatever became of its file.
      const isKnown = holder !== undefined && holder !== "unreadable" && hostIdOf(holder) === ownId
      const isLeft = holder !== undefined && !isKnown && use !== "opened"
      const leftMs = Math.max(0, patienceMs - elapsedMs())
      const isOver = isLeft ? yield* endLeftovers({ left: holder, queued, patienceMs: leftMs }) : true
      if (isOver) return yield* settle(place, options, lock)
      yield* Scope.close(lock, Exit.void)
      return yield* busy(subject, holder, elapsedMs())
    }
    if (isLast) return yield* busy(subject, holder, patienceMs === 0 ? 0 : elapsedMs())
    if (!isTold && (holder !== undefined || elapsedMs() >= announceMs)) {
      isTold = true
      queued(uses(subject, holder, isOwn))
    }
    if (!isAsking) {
      isAsking = true
      yield* Effect.forkScoped(keepAsking(place))
    }
    yield* Effect.sleep(pauseMs * (0.5 + (yield* Random.next)))
    pauseMs = Math.min(1.5 * pauseMs, longestPauseMs)
  }
}, Effect.scoped)

/**
 * Holds the lock until the scope closes. Fails if another process keeps it for too long; never takes it from a living
 * holder. An idle live session that holds it is asked to close.
 */
export const hold = (options: HoldOptions): Effect.Effect<Held | Unheld, SessionBusy, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* openPlace(options.subject)
    return yield* take(place, options, yield* Effect.scope)
  }).pipe(
    inHostTime,
    Effect.catchTags({
      StateUnusable: ({ problem }) => Effect.succeed({ problem }),
      LockRefused: ({ message }) => Effect.succeed({ problem: message })
    })
  )

// For modules above the engine: first in the order of this process, then by the lock.

interface Line {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

const lines = new Map<string, Line>()

/** Entered in the order of the calls; the line is removed with its last user. */
const joined = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const line = lines.get(name) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      lines.set(name, line)
      line.users += 1
      return line
    }),
    (line) =>
      Effect.sync(() => {
        line.users -= 1
        if (line.users === 0) lines.delete(name)
      })
  )

const enter = Effect.fn(...untraced("Hold.enter"))(function* ({ subject, isPatient, queued }: HoldSubjectOptions) {
  const line = yield* joined(lockName(subject))
  const { semaphore } = line
  const taken = Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })
  if (line.users === 1) return yield* taken
  if (!isPatient) return yield* new SessionBusy({ what: subject.what, subject: subjectName(subject), waitedMs: 0 })
  queued({ problem: `another run uses the ${subject.what}`, data: { limit: "session" } })
  return yield* Effect.raceFirst(taken, askFor(subject))
})

export interface HoldSubjectOptions extends Omit<HoldOptions, "use" | "patienceMs"> {
  /** If false, fails at once when it is held. */
  readonly isPatient: boolean
  /** Time to wait for a holder in another process, in milliseconds; those of this process are waited for without limit. */
  readonly patienceMs: number
}

export const holdSubject = (options: HoldSubjectOptions): Effect.Effect<Held | Unheld, SessionBusy, Scope.Scope> =>
  Effect.andThen(
    enter(options),
    hold({ ...options, use: "write", patienceMs: options.isPatient ? options.patienceMs : 0 })
  )
