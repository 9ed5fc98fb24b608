/**
 * A lock for each turn or run of a store while a process works on it: free if its host is dead or done. Kernel locks in
 * the state directory; locks of this process for a store in memory, or without kernel locks.
 */
import { createHash } from "node:crypto"
import { unlink } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Exit, Result, Scope } from "effect"
import { FileLocks } from "../../system/locks/fileLocks.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import type { OpenStore } from "./OpenStore.ts"

type NameKind = "turn" | "run" | "channel" | "home"

export interface NameLocks {
  /** If false, other processes are not seen, so that a free lock says nothing about them. */
  readonly areShared: boolean
  /** Returns true if it is held until the scope closes. Does not wait. */
  readonly take: (name: string) => Effect.Effect<boolean, never, Scope.Scope>
  /** Whether a process holds it. Checks by taking it: two checks at once can see each other. */
  readonly isTaken: (name: string) => Effect.Effect<boolean>
}

/** Locks of this process, shared among the users of the returned function. */
export const inProcess = (): NameLocks["take"] => {
  const taken = new Set<string>()
  return (name) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        if (taken.has(name)) return false
        taken.add(name)
        return true
      }),
      (isMine) =>
        Effect.sync(() => {
          if (isMine) taken.delete(name)
        })
    )
}

const ofKernel = Effect.fnUntraced(function* (kind: NameKind, place: string, withoutLock: NameLocks["take"]) {
  const { tryLock, missing } = yield* FileLocks
  const problem = yield* missing
  if (problem !== undefined) return yield* Effect.fail(problem)
  const directory = join(yield* openStateDirectory("locks"), "locks")
  const fileOf = (name: string) => {
    const subject = JSON.stringify([kind, place, name])
    return join(directory, `${createHash("sha256").update(subject).digest("hex")}.${kind}`)
  }

  const take: NameLocks["take"] = (name) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const file = fileOf(name)
        const scope = yield* Scope.make()
        const isMine = yield* Effect.result(Scope.provide(tryLock(file), scope))
        if (Result.isFailure(isMine)) {
          yield* Scope.close(scope, Exit.void)
          yield* Effect.logWarning(`a ${kind} has no lock between processes: ${isMine.failure.message}`)
          return yield* withoutLock(name)
        }
        if (!isMine.success) yield* Scope.close(scope, Exit.void)
        else {
          // Removed while it is held: a process that opened it earlier finds it replaced.
          const remove = Effect.ignore(Effect.tryPromise(() => unlink(file)))
          yield* Effect.addFinalizer((exit) => Effect.andThen(remove, Scope.close(scope, exit)))
        }
        return isMine.success
      })
    )
  return take
})

export const makeNameLocks = Effect.fnUntraced(function* ({ kind, place }: OpenStore, of: NameKind) {
  const here = inProcess()
  const shared = kind === "memory" ? Result.fail(undefined) : yield* Effect.result(ofKernel(of, place, here))
  if (Result.isFailure(shared) && shared.failure !== undefined) {
    yield* Effect.logWarning(`${of}s are in order within this process alone: ${String(shared.failure)}`)
  }
  const take = Result.getOrElse(shared, () => here)
  return {
    areShared: Result.isSuccess(shared),
    take,
    isTaken: (name) => Effect.map(Effect.scoped(take(name)), (isMine) => !isMine)
  } satisfies NameLocks
})
