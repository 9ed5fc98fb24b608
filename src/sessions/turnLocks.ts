/**
 * A lock for each turn that a caller can name, as long as somebody has it in hand: free means that its host is dead, or has
 * let it go. Locks of the kernel in the state directory; of a store in memory, and where there are none, of this process.
 */
import { createHash } from "node:crypto"
import { unlink } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Exit, Result, Scope } from "effect"
import { FileLocks } from "../locks/fileLocks.ts"
import { openStateDirectory } from "../locks/stateDirectory.ts"
import type { OpenStore } from "../store/OpenStore.ts"

export interface TurnLocks {
  /** True: it is held until the scope closes. Does not wait. */
  readonly take: (turnId: string) => Effect.Effect<boolean, never, Scope.Scope>
  /** Whether somebody has it. Asks by taking it: two that ask at once can see each other. */
  readonly isTaken: (turnId: string) => Effect.Effect<boolean>
}

const inProcess = (): TurnLocks["take"] => {
  const taken = new Set<string>()
  return (turnId) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        if (taken.has(turnId)) return false
        taken.add(turnId)
        return true
      }),
      (isMine) =>
        Effect.sync(() => {
          if (isMine) taken.delete(turnId)
        })
    )
}

const ofKernel = Effect.fnUntraced(function* (place: string, withoutLock: TurnLocks["take"]) {
  const { tryLock, missing } = yield* FileLocks
  const problem = yield* missing
  if (problem !== undefined) return yield* Effect.fail(problem)
  const directory = join(yield* openStateDirectory("locks"), "locks")
  const fileOf = (turnId: string) =>
    join(
      directory,
      `${createHash("sha256")
        .update(JSON.stringify(["turn", place, turnId]))
        .digest("hex")}.turn`
    )

  const take: TurnLocks["take"] = (turnId) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const file = fileOf(turnId)
        const scope = yield* Scope.make()
        const isMine = yield* Effect.result(Scope.provide(tryLock(file), scope))
        if (Result.isFailure(isMine)) {
          yield* Scope.close(scope, Exit.void)
          yield* Effect.logWarning(`a turn has no lock between processes: ${isMine.failure.message}`)
          return yield* withoutLock(turnId)
        }
        if (!isMine.success) yield* Scope.close(scope, Exit.void)
        else {
          // Its file goes while it is held: who has opened it before finds it replaced.
          const remove = Effect.ignore(Effect.tryPromise(() => unlink(file)))
          yield* Effect.addFinalizer((exit) => Effect.andThen(remove, Scope.close(scope, exit)))
        }
        return isMine.success
      })
    )
  return take
})

export const makeTurnLocks = Effect.fnUntraced(function* ({ kind, place }: OpenStore) {
  const here = inProcess()
  const take =
    kind === "memory"
      ? here
      : yield* Effect.catch(ofKernel(place, here), (problem) =>
          Effect.as(Effect.logWarning(`turns are in order within this process alone: ${String(problem)}`), here)
        )
  const locks: TurnLocks = {
    take,
    isTaken: (turnId) => Effect.map(Effect.scoped(take(turnId)), (isMine) => !isMine)
  }
  return locks
})
