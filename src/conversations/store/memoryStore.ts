/** A store in the memory of this process. */
import { Effect } from "effect"
import { checkOptions, keepOf } from "./keep.ts"
import { migrated } from "./migrated.ts"
import type { MemoryStoreOptions, OpenStore } from "./OpenStore.ts"
import { makeSqliteClient } from "./sqlite.ts"
import { openDatabase } from "./sqliteDatabase.ts"
import { makeTransactions, typed } from "./transact.ts"

const check = checkOptions({})

export const openMemory = Effect.fnUntraced(function* (options: MemoryStoreOptions) {
  yield* check(options)
  const sql = yield* makeSqliteClient(yield* typed(openDatabase(":memory:")))
  yield* typed(migrated(sql, "memory"))
  const store: OpenStore = {
    kind: "memory",
    place: "memory",
    sql,
    keep: keepOf(options.keep),
    home: "memory",
    warnings: [],
    ...makeTransactions(sql)
  }
  return store
})
