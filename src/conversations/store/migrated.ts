/** Migrates the schema of a store; one of a newer version is refused before anything is written. */
import { Effect, Predicate } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { StoreError, StoreTooNew } from "../../contract/StoreError.ts"
import { migrate, migrationsTable, newestSchema } from "./migrations.ts"

/** Returns 0 before the first migration. */
const schemaOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const known = yield* sql.onDialectOrElse({
      pg: () => sql`select 1 where to_regclass(${migrationsTable}) is not null`,
      orElse: () => sql`select 1 from sqlite_schema where type = 'table' and name = ${migrationsTable}`
    })
    if (known.length === 0) return 0
    const [row] = yield* sql<{
      version: number | null
    }>`select max(migration_id) as version from ${sql(migrationsTable)}`
    return row?.version ?? 0
  })

const isSqlError = (cause: unknown): cause is SqlError.SqlError => Predicate.isTagged(cause, "SqlError")

export const checkSchema = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, place: string) {
  const version = yield* schemaOf(sql)
  if (version <= newestSchema) return version
  return yield* new StoreError({ reason: new StoreTooNew({ place, version, supported: newestSchema }) })
})

export const migrated = (sql: SqlClient.SqlClient, place: string) =>
  Effect.gen(function* () {
    if ((yield* checkSchema(sql, place)) < newestSchema) yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
  }).pipe(
    Effect.catchTag("MigrationError", ({ cause, message }) =>
      Effect.fail(
        isSqlError(cause)
          ? cause
          : new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message, operation: "migrate" }) })
      )
    )
  )
