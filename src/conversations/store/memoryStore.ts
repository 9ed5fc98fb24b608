/** A store in the memory of this process. */
import { Effect } from "effect"
import { migrated } from "./migrated.ts"
import { checkOptions, keepOf, type MemoryStoreOptions, type OpenStore } from "./OpenStore.ts"
import { makeSqliteClient } from "./sqlite.ts"
import { openDatabase } from "./sqliteDatabase.ts"
import { makeTransactions, typed } from "./transact.ts"

const check = checkOptions({})

export const openMemory = Effect.fnUntraced(function* (options: MemoryStoreOptions) {
  yield* check(options)
  const sql = yield* makeSqliteClient(yield* typed(openDatabase(":memory:")))
  yield* typed(migrated(sql, "memory"))
  return {
    kind: "memory",
    place: "memory",
    sql,
    keep: keepOf(options.keep),
    home: "memory",
    warnings: [],
    ...makeTransactions(sql)
  } satisfies OpenStore
})
