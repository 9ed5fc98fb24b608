/**
 * Locks by the name of a file: one holder at a time among all fibers and processes. What waits is a fiber, never the
 * event loop, and it can be interrupted. Tests put locks of made-up processes in the place of the kernel's.
 */
import { unlink } from "node:fs/promises"
import { Clock, Context, Effect, Schedule, Schema, type Scope, Semaphore } from "effect"
import { startStopwatch } from "../clock/stopwatch.ts"
import { type LockRefused, sqliteMissing, tryKernelLock } from "./kernelLock.ts"

interface Gate {
  readonly semaphore: Semaphore.Semaphore
  /** Those that are in or wait. */
  users: number
}

export interface FileLocks {
  /** Whether the lock was taken; then it is held until the scope closes. */
  readonly tryLock: (file: string) => Effect.Effect<boolean, LockRefused, Scope.Scope>
  /** Why there are no locks between processes; undefined where there are. */
  readonly missing: Effect.Effect<string | undefined>
  /** Of this process: its fibers come in one after the other, in order. */
  readonly gates: Map<string, Gate>
}

export const FileLocks = Context.Reference<FileLocks>("reins/FileLocks", {
  defaultValue: () => ({ tryLock: tryKernelLock, missing: sqliteMissing, gates: new Map() })
})

/** Somebody else had the lock for as long as was to be waited. */
export class LockTaken extends Schema.TaggedError<LockTaken>()("LockTaken", { file: Schema.String }) {}

/** 2 → 50 ms. */
const intervals = Schedule.jittered(Schedule.min([Schedule.exponential("2 millis", 1.5), Schedule.spaced("50 millis")]))

const patienceMs = 10_000

/** Forgotten with its last user. */
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

/** Waits for its turn, up to ten seconds, then does the work without being interrupted. */
export const withLock = Effect.fnUntraced(function* <A, E, R>(file: string, work: Effect.Effect<A, E, R>) {
  const { tryLock, gates } = yield* FileLocks
  // The work's own end is no reason to try again.
  const attempt = Effect.uninterruptibleMask((restore) =>
    Effect.scoped(
      Effect.flatMap(restore(tryLock(file)), (isTaken) =>
        isTaken ? Effect.exit(work) : Effect.fail(new LockTaken({ file }))
      )
    )
  )
  // By the clock that nobody sets: the patience of a schedule goes by the date.
  const patient = Effect.flatMap(Clock.Clock, (clock) => {
    const elapsedMs = startStopwatch(clock)
    const isPatient = ({ _tag }: LockRefused | LockTaken) => _tag === "LockTaken" && elapsedMs() < patienceMs
    return Effect.retry(attempt, { while: isPatient, schedule: intervals })
  })
  return yield* yield* gated(gates, file, patient)
})

/** Whether somebody holds it now. Asks by taking it: two that ask at once can see each other. */
export const isLocked = (file: string): Effect.Effect<boolean, LockRefused> =>
  Effect.gen(function* () {
    const { tryLock } = yield* FileLocks
    return !(yield* Effect.scoped(tryLock(file)))
  })

const removeFile = (file: string) => Effect.ignore(Effect.tryPromise(() => unlink(file)))

/** Takes a lock that nobody else can have yet, and removes its file with it. */
export const holdLock = Effect.fnUntraced(function* (file: string) {
  const { tryLock } = yield* FileLocks
  if (!(yield* tryLock(file))) return yield* new LockTaken({ file })
  yield* Effect.addFinalizer(() => removeFile(file))
})

/** The file of a lock that nobody holds. */
export const removeFreeLock = Effect.fnUntraced(function* (file: string) {
  const { tryLock } = yield* FileLocks
  if (yield* tryLock(file)) yield* removeFile(file)
}, Effect.scoped)
