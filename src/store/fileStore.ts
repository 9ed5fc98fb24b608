/** A store in a file of this user. */
import { join, resolve } from "node:path"
import { Effect, Schema } from "effect"
import { openStateDirectory } from "../locks/stateDirectory.ts"
import { ownDirectory, ownFiles, refused } from "./directory.ts"
import { openHome } from "./home.ts"
import { checkOptions, keepOf } from "./keep.ts"
import { migrated } from "./migrated.ts"
import type { FileStoreOptions, OpenStore } from "./OpenStore.ts"
import { makeSqliteClient } from "./sqlite.ts"
import { configure, openDatabase } from "./sqliteDatabase.ts"
import { makeTransactions, patiently } from "./transact.ts"

const check = checkOptions({
  directory: Schema.optional(Schema.String),
  allowNetworkFileSystem: Schema.optional(Schema.Boolean)
})

const defaultDirectory = openStateDirectory("store").pipe(
  Effect.map((state) => join(state, "store")),
  Effect.mapError(({ problem }) => refused("in the state directory", `cannot be kept: ${problem}`))
)

export const openFile = Effect.fnUntraced(function* (options: FileStoreOptions) {
  yield* check(options)
  const { directory: given } = options
  const directory = given === undefined ? yield* defaultDirectory : resolve(given)
  yield* ownDirectory(directory)
  const place = join(directory, "store.db")
  yield* ownFiles(place)
  const home = yield* openHome(directory)
  const sql = yield* patiently(
    Effect.gen(function* () {
      const database = yield* openDatabase(place)
      const client = yield* makeSqliteClient(database)
      yield* configure(database)
      yield* migrated(client, place)
      return client
    })
  )
  const store: OpenStore = {
    kind: "file",
    place,
    sql,
    keep: keepOf(options.keep),
    home,
    warnings: [],
    ...makeTransactions(sql)
  }
  return store
})
