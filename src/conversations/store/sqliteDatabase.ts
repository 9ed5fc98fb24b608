/** A database of SQLite, as a resource of the scope. Never waits for another process: fails as locked. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { refused } from "./directory.ts"
import { sqliteFailure } from "./sqlite.ts"

/** Undefined on runtimes without it (Bun, Node 20). */
const loadSqlite = Effect.promise(() => import("node:sqlite").catch(() => undefined))
/** A function of the database that throws, as an effect. */
export const attempt = <A>(operation: string, run: () => A) => Effect.try({ try: run, catch: sqliteFailure(operation) })

export const openDatabase = (place: string) =>
  Effect.gen(function* () {
    const sqlite = yield* loadSqlite
    if (sqlite === undefined) {
      const problem = "needs node:sqlite, which this runtime does not have"
      const cure = "Use Node 22.19 or newer, or a PostgreSQL server."
      return yield* refused(place, problem, cure)
    }
    const open = () => new sqlite.DatabaseSync(place, { timeout: 0, enableForeignKeyConstraints: true })
    return yield* Effect.acquireRelease(attempt("open", open), (database) => Effect.sync(() => database.close()))
  })

export const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Acknowledged writes are on disk; the schema is not trusted. */
export const configure = (database: DatabaseSync) =>
  attempt("configure", () => {
    if (pragma(database, "journal_mode") !== "wal") database.exec("PRAGMA journal_mode = WAL")
    database.exec("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
  })

/** "Rein", in the header of our files. */
const application = 0x5265_696e

/** Fails for the database of another program; an empty one becomes ours. */
export const checkApplication = (database: DatabaseSync, place: string) =>
  Effect.flatMap(
    attempt("configure", () => {
      // In this order: another process that creates the file writes the id before the first table.
      const isEmpty = pragma(database, "schema_version") === 0
      const known = pragma(database, "application_id")
      if (known === application) return true
      if (known !== 0 || !isEmpty) return false
      database.exec(`PRAGMA application_id = ${application}`)
      return true
    }),
    (isOurs) => (isOurs ? Effect.void : Effect.fail(foreign(place)))
  )

const foreign = (place: string) =>
  refused(place, "is the database of another program", "Use another directory for the store.")
