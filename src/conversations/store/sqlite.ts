/** `SqlClient` over Node's SQLite, until Effect has a driver for it. Never waits: a locked database fails at once. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { Context, Effect, Predicate, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

/** The code of SQLite, such as 5 for a locked database; undefined for other errors. */
const sqliteCode = (cause: unknown): number | undefined =>
  Predicate.hasProperty(cause, "errcode") && Predicate.isNumber(cause.errcode) ? cause.errcode : undefined

/** Effect knows only the second as a violation of uniqueness. */
const ofPrimaryKey = 1555
const ofUnique = 2067

/** Classifies by code; the cause stays as it is. */
export const sqliteFailure = (operation: string) => (cause: unknown) => {
  const code = sqliteCode(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  const errno = code === ofPrimaryKey ? ofUnique : code
  const coded = code === undefined ? cause : Object.assign(new Error(message, { cause }), { errno })
  return new SqlError.SqlError({ reason: SqlError.classifySqliteError(coded, { message, operation }) })
}

const mostStatements = 200

/** Prepared statements, by their text. Least recently used is evicted first. */
const makeStatements = (database: DatabaseSync) => {
  const known = new Map<string, StatementSync>()
  return (text: string): StatementSync => {
    const statement = known.get(text) ?? database.prepare(text)
    known.delete(text)
    known.set(text, statement)
    const [oldest] = known.size > mostStatements ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return statement
  }
}

interface How {
  /** Rows as arrays. */
  readonly arrays?: boolean
  /** The statement is not kept. */
  readonly once?: boolean
  /** The number of changes instead of rows. */
  readonly raw?: boolean
}

type Transform = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

const makeConnection = (database: DatabaseSync): SqlConnection.Connection => {
  const prepared = makeStatements(database)
  const run = (text: string, params: ReadonlyArray<unknown>, { arrays = false, once = false, raw = false }: How) =>
    Effect.withFiber<unknown, SqlError.SqlError>((fiber) =>
      Effect.try({
        try: () => {
          const statement = once ? database.prepare(text) : prepared(text)
          const values = params as ReadonlyArray<SQLInputValue> // SQLite refuses others by name
          statement.setReadBigInts(Context.get(fiber.context, SqlClient.SafeIntegers))
          statement.setReturnArrays(arrays)
          if (statement.columns().length > 0) return statement.all(...values)
          const changes = statement.run(...values)
          return raw ? changes : []
        },
        catch: sqliteFailure("execute")
      })
    )
  const rows = (text: string, params: ReadonlyArray<unknown>, how: How, transform: Transform) =>
    Effect.map(run(text, params, how), (found): ReadonlyArray<unknown> => {
      const all = found as ReadonlyArray<object> // not `raw`
      return transform === undefined ? all : transform(all)
    })
  const values = (text: string, params: ReadonlyArray<unknown>, how: How) =>
    Effect.map(run(text, params, how), (found) => found as ReadonlyArray<ReadonlyArray<unknown>>) // `arrays`
  return {
    execute: (text, params, transform) => rows(text, params, {}, transform),
    executeRaw: (text, params) => run(text, params, { raw: true }),
    executeValues: (text, params) => values(text, params, { arrays: true }),
    executeValuesUnprepared: (text, params) => values(text, params, { arrays: true, once: true }),
    executeUnprepared: (text, params, transform) => rows(text, params, { once: true }, transform),
    executeStream: (text, params, transform) =>
      Stream.unwrap(Effect.map(rows(text, params, {}, transform), Stream.fromIterable))
  }
}

/** One connection, lent to one fiber or transaction at a time. */
export const makeSqliteClient = (database: DatabaseSync): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const connection = makeConnection(database)
    return yield* SqlClient.make({
      ...SqlClient.makeSqliteAcquirers({
        connection: Effect.succeed(connection),
        semaphore: yield* Semaphore.make(1),
        isTransaction: () => database.isTransaction
      }),
      compiler: Statement.makeCompilerSqlite(),
      driver: "node:sqlite",
      beginTransaction: "BEGIN IMMEDIATE",
      prepareTransactionControls: true,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
  }).pipe(Effect.provide(Reactivity.layer))
