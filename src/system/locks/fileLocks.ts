/** Locks by the name of a file, among all fibers and processes. Waiting suspends a fiber and can be interrupted. */
import { unlink } from "node:fs/promises"
import { Clock, Context, Effect, Schedule, Schema, type Scope, Semaphore } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { startStopwatch } from "../hostClock.ts"
import { type LockRefused, sqliteMissing, tryKernelLock } from "./kernelLock.ts"

interface Gate {
  readonly semaphore: Semaphore.Semaphore
  /** Fibers that are inside or waiting. */
  users: number
}

export interface FileLocks {
  /** Returns true if the lock is held until the scope closes. */
  readonly tryLock: (file: string) => Effect.Effect<boolean, LockRefused, Scope.Scope>
  /** The reason why locks between processes are unavailable; undefined if they work. */
  readonly missing: Effect.Effect<string | undefined>
  /** For the fibers of this process, which enter in the order of their calls. */
  readonly gates: Map<string, Gate>
}

export const FileLocks = Context.Reference<FileLocks>("reins/FileLocks", {
  defaultValue: () => ({ tryLock: tryKernelLock, missing: sqliteMissing, gates: new Map() })
})

/** Another holder kept the lock for the whole time of waiting. */
export class LockTaken extends Schema.TaggedError<LockTaken>()("LockTaken", { file: Schema.String }) {}

/** 2 → 50 ms. */
const intervals = Schedule.jittered(Schedule.min([Schedule.exponential("2 millis", 1.5), Schedule.spaced("50 millis")]))
const patienceMs = 10_000

/** The gate is removed with its last user. */
const gated = <A, E, R>(gates: FileLocks["gates"], file: string, work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const gate = gates.get(file) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      gates.set(file, gate)
      gate.users += 1
      return gate
    }),
    ({ semaphore }) => semaphore.withPermit(work),
    (gate) =>
      Effect.sync(() => {
        gate.users -= 1
        if (gate.users === 0) gates.delete(file)
      })
  )

/** Waits up to ten seconds for the lock, then does the work uninterruptibly. */
export const withLock = Effect.fn(...untraced("FileLocks.withLock"))(function* <A, E, R>(
  file: string,
  work: Effect.Effect<A, E, R>
) {
  const { tryLock, gates } = yield* FileLocks
  // A failure of the work itself is not retried.
  const attempt = Effect.uninterruptibleMask((restore) =>
    Effect.scoped(
      Effect.flatMap(restore(tryLock(file)), (isTaken) =>
        isTaken ? Effect.exit(work) : Effect.fail(new LockTaken({ file }))
      )
    )
  )
  // By the monotonic clock: a schedule would measure by the date.
  const patient = Effect.flatMap(Clock.Clock, (clock) => {
    const elapsedMs = startStopwatch(clock)
    const isPatient = ({ _tag }: LockRefused | LockTaken) => _tag === "LockTaken" && elapsedMs() < patienceMs
    return Effect.retry(attempt, { while: isPatient, schedule: intervals })
  })
  return yield* yield* gated(gates, file, patient)
})

/** Whether it is held now. Asks by taking it: two concurrent callers can see each other. */
export const isLocked = (file: string): Effect.Effect<boolean, LockRefused> =>
  Effect.gen(function* () {
    const { tryLock } = yield* FileLocks
    return !(yield* Effect.scoped(tryLock(file)))
  })

const removeFile = (file: string) => Effect.ignore(Effect.tryPromise(() => unlink(file)))

/** Takes a lock whose name is new, and removes its file with it. */
export const holdLock = Effect.fn(...untraced("FileLocks.holdLock"))(function* (file: string) {
  const { tryLock } = yield* FileLocks
  if (!(yield* tryLock(file))) return yield* new LockTaken({ file })
  yield* Effect.addFinalizer(() => removeFile(file))
})

/** Removes the file of a lock unless it is held. */
export const removeFreeLock = Effect.fn(...untraced("FileLocks.removeFreeLock"))(function* (file: string) {
  const { tryLock } = yield* FileLocks
  if (yield* tryLock(file)) yield* removeFile(file)
}, Effect.scoped)
