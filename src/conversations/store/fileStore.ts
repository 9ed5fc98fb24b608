/** A store in a file of this user: checks its place, then its content; moves damaged files aside. */
import { join, resolve } from "node:path"
import { Effect, Exit, Schema, Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { StoreError } from "../../contract/StoreError.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { isDamaged, moveAside } from "./damaged.ts"
import { identityOf, ownDirectory, ownFiles, refused } from "./directory.ts"
import { openHome } from "./home.ts"
import { checkSchema, migrated } from "./migrated.ts"
import { checkFileSystem } from "./networkFileSystem.ts"
import { checkOptions, type FileStoreOptions, keepOf, type OpenStore } from "./OpenStore.ts"
import { replaced } from "./problems.ts"
import { makeSqliteClient } from "./sqlite.ts"
import { checkApplication, configure, openDatabase } from "./sqliteDatabase.ts"
import { makeTransactions, patiently } from "./transact.ts"

const check = checkOptions({
  directory: Schema.optional(Schema.NonEmptyString),
  allowNetworkFileSystem: Schema.optional(Schema.Boolean)
})

const defaultDirectory = openStateDirectory("store").pipe(
  Effect.map((state) => join(state, "store")),
  Effect.mapError(({ problem }) => refused("in the state directory", `cannot be kept: ${problem}`))
)

/** Closes resources of a failed attempt. */
const closedOnFailure = <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      return yield* Effect.onError(restore(Scope.provide(attempt, scope)), (cause) =>
        Scope.close(scope, Exit.failCause(cause))
      )
    })
  )

type Opened = Effect.Effect<SqlClient.SqlClient, StoreError | SqlError.SqlError, Scope.Scope>

/** Writes nothing before the file is known to be ours, and of a known version. */
const openClient = (place: string): Opened =>
  closedOnFailure(
    Effect.gen(function* () {
      yield* ownFiles(place)
      const database = yield* openDatabase(place)
      const sql = yield* makeSqliteClient(database)
      yield* checkSchema(sql, place)
      yield* checkApplication(database, place)
      yield* configure(database)
      yield* migrated(sql, place)
      yield* ownFiles(place)
      return sql
    })
  )

export const openFile = Effect.fnUntraced(function* (options: FileStoreOptions) {
  yield* check(options)
  const { directory: requested, allowNetworkFileSystem = false } = options
  const directory = requested === undefined ? yield* defaultDirectory : resolve(requested)
  yield* ownDirectory(directory)
  if (!allowNetworkFileSystem) yield* checkFileSystem(directory)
  const place = join(directory, "store.db")
  const warnings: Array<string> = []
  const sql = yield* patiently(
    Effect.catchIf(openClient(place), isDamaged, () =>
      Effect.gen(function* () {
        const warning = yield* moveAside(directory, place, openClient(place))
        if (warning !== undefined) warnings.push(warning)
        return yield* openClient(place)
      })
    )
  )
  for (const warning of warnings) yield* Effect.logWarning(warning)
  const opened = identityOf(place)
  return {
    kind: "file",
    place,
    sql,
    keep: keepOf(options.keep),
    home: yield* openHome(directory),
    warnings,
    ...makeTransactions(
      sql,
      Effect.suspend(() => (identityOf(place) === opened ? Effect.void : Effect.fail(replaced)))
    )
  } satisfies OpenStore
})
