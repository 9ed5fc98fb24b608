/** A database of SQLite, as a resource of the scope. It never waits for another process: it fails as locked. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { StoreError, StoreRefused } from "../contract/StoreError.ts"
import { sqliteFailure } from "./sqlite.ts"

/** Undefined on a runtime that has none (Bun, Node 20). */
const loadSqlite = Effect.promise(() => import("node:sqlite").catch(() => undefined))

/** A function of the database that throws, as an effect. */
export const attempt = <A>(operation: string, run: () => A) => Effect.try({ try: run, catch: sqliteFailure(operation) })

export const openDatabase = (place: string) =>
  Effect.gen(function* () {
    const sqlite = yield* loadSqlite
    if (sqlite === undefined) {
      const problem = "needs node:sqlite, which this runtime does not have"
      const cure = "Use Node 22.19 or newer, or a PostgreSQL server."
      return yield* new StoreError({ reason: new StoreRefused({ place, problem, cure }) })
    }
    const open = () => new sqlite.DatabaseSync(place, { timeout: 0, enableForeignKeyConstraints: true })
    return yield* Effect.acquireRelease(attempt("open", open), (database) => Effect.sync(() => database.close()))
  })

/** The value of a pragma. */
export const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** What is acknowledged is on the disk, and its schema is believed in nothing but data. */
export const configure = (database: DatabaseSync) =>
  attempt("configure", () => {
    if (pragma(database, "journal_mode") !== "wal") database.exec("PRAGMA journal_mode = WAL")
    database.exec("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
  })
