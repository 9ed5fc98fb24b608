/** Moves a file aside that is damaged or not a database; a new one takes its place. */
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { DateTime, Effect, Predicate, Result, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { withLock } from "../../system/locks/fileLocks.ts"
import { besides } from "./directory.ts"
import { resultCodeOf } from "./problems.ts"

const corrupt = 11
const noDatabase = 26

export const isDamaged = (error: unknown): error is SqlError.SqlError => {
  if (!Predicate.isTagged(error, "SqlError")) return false
  const code = resultCodeOf(error as SqlError.SqlError) // by its tag
  return code === corrupt || code === noDatabase
}

const rename = (place: string, aside: string) =>
  Effect.try({
    try: () => {
      // The database itself last: until then, others find it damaged, and wait for the lock.
      for (const end of [...besides, ""])
        if (existsSync(`${place}${end}`)) renameSync(`${place}${end}`, `${aside}${end}`)
    },
    catch: () =>
      new StoreError({ reason: new StoreUnavailable({ problem: `${place} is damaged, and cannot be moved aside` }) })
  })

/** Done by one process, after another look. Returns a sentence for people; undefined if another process has done it. */
export const moveAside = (
  directory: string,
  place: string,
  open: Effect.Effect<unknown, SqlError.SqlError | StoreError, Scope.Scope>
): Effect.Effect<string | undefined, SqlError.SqlError | StoreError> =>
  withLock(
    join(directory, "store.lock"),
    Effect.gen(function* () {
      const again = yield* Effect.result(Effect.scoped(open))
      if (Result.isSuccess(again)) return undefined
      if (!isDamaged(again.failure)) return yield* again.failure
      const time = DateTime.formatIso(yield* DateTime.now).replaceAll(/[:.]/g, "-")
      const aside = `${place}.corrupt-${time}`
      yield* rename(place, aside)
      return `The store ${place} was damaged, or no database: it was moved to ${aside}, and a new one was begun. What it knew of conversations is lost; the sessions of the CLIs are not.`
    })
  ).pipe(
    Effect.catchTags({
      LockTaken: () => Effect.fail(busy),
      LockRefused: ({ message }) => Effect.fail(new StoreError({ reason: new StoreUnavailable({ problem: message }) }))
    })
  )

const busy = new StoreError({
  reason: new StoreUnavailable({ problem: "another process is moving a damaged file aside" })
})
