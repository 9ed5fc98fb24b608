/** A store on a PostgreSQL server, with serializable transactions. Shows only host, port and database of its URL. */
import type { Socket } from "node:net"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Redacted, Result } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { openHome } from "./home.ts"
import { migrated } from "./migrated.ts"
import { checkOptions, keepOf, type OpenStore, type PostgresStoreOptions } from "./OpenStore.ts"
import { addressOf, makeSockets } from "./postgresServer.ts"
import { makeTransactions, patiently } from "./transact.ts"

const check = checkOptions({ url: MaybeSecret })
const schema = "reins"
/** Key of the lock under which one process at a time changes the tables. */
export const migrationLock = 0x5265_696e

/** Settings of each connection. The server notices a vanished machine within half a minute instead of two hours. */
export const connectionSettings = {
  search_path: schema,
  tcp_keepalives_idle: "15",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "30000",
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "60000"
}

/** 64-bit integers are numbers, as on SQLite: times and counts are far below the limit. */
const makeTypes = () => {
  const types = PgTypes.makeRegistry()
  const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  types.register<number | bigint>(PgTypes.OID.int8, {
    encode: (value) => {
      const bytes = new Uint8Array(8)
      view(bytes).setBigInt64(0, BigInt(value))
      return Result.succeed(bytes)
    },
    decode: (bytes) => Result.succeed(Number(view(bytes).getBigInt64(0)))
  })
  return types
}

/** Connections of the scope, opened as they are needed. */
export const connect = (url: string, stream: () => Socket) =>
  Effect.provide(
    PgClient.make({
      stream,
      url: Redacted.make(url),
      applicationName: "reins",
      startupParameters: connectionSettings,
      types: makeTypes()
    }),
    Reactivity.layer
  )

/** All or nothing, by one process at a time. */
const migrateOnce = (sql: SqlClient.SqlClient, place: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${migrationLock})`
      const [known] = yield* sql`select 1 as found from pg_catalog.pg_namespace where nspname = ${schema}`
      if (known === undefined) yield* sql`create schema ${sql(schema)}`
      yield* migrated(sql, place)
    })
  )

/** Names the database in the problem. */
const at =
  (place: string) =>
  (error: StoreError): StoreError =>
    error.reason._tag === "StoreUnavailable"
      ? new StoreError({ reason: new StoreUnavailable({ problem: `${error.reason.problem} (${place})` }) })
      : error

export const openPostgres = Effect.fnUntraced(function* (options: PostgresStoreOptions) {
  yield* check(options)
  const url = reveal(options.url)
  const address = addressOf(url)
  if (Result.isFailure(address)) return yield* new StoreError({ reason: address.failure })
  const { place } = address.success
  const { open, answered } = makeSockets(address.success)
  const home = yield* openHome()
  const sql = yield* Effect.mapError(patiently(connect(url, open)), at(place))
  yield* Effect.mapError(answered(patiently(migrateOnce(sql, place))), at(place))
  const serializable = Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL SERIALIZABLE")
  const { transact, read } = makeTransactions(sql)
  return {
    kind: "postgres",
    place,
    sql,
    keep: keepOf(options.keep),
    home,
    warnings: [],
    transact: (work) => answered(serializable(transact(work))),
    read: (work) => answered(read(work))
  } satisfies OpenStore
})
