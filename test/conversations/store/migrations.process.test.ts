/**
 * A store of each earlier version, with a row in every table, is brought to the newest: with the tables of a new store, and
 * every value as it was.
 */
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { migrateTo, migrationsTable, newestSchema } from "../../../src/conversations/store/migrations.ts"
import { addressOf, makeSockets } from "../../../src/conversations/store/postgresServer.ts"
import { connect } from "../../../src/conversations/store/postgresStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeSqliteClient } from "../../../src/conversations/store/sqlite.ts"
import { checkApplication, configure, openDatabase } from "../../../src/conversations/store/sqliteDatabase.ts"
import { hasPostgres, makeDatabase } from "../../kit/postgres.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { openIn, type StoreLayer } from "./stores.ts"

interface OldStore {
  /** Open while the test makes the store of an earlier version. */
  readonly client: Effect.Effect<SqlClient.SqlClient, unknown, Scope.Scope>
  readonly layer: StoreLayer
}

const onSqlite = Effect.map(makeDirectory, (above): OldStore => {
  const directory = join(above, "store")
  mkdirSync(directory, { mode: 0o700 })
  const client = Effect.gen(function* () {
    const file = join(directory, "store.db")
    const database = yield* openDatabase(file)
    yield* checkApplication(database, file)
    yield* configure(database)
    return yield* makeSqliteClient(database)
  })
  return { client, layer: Store.layerFile({ directory }) }
})

const onPostgres = Effect.map(makeDatabase, ({ url }): OldStore => {
  const client = Effect.gen(function* () {
    const address = Result.getOrThrow(addressOf(Redacted.value(url)))
    const sql = yield* connect(Redacted.value(url), makeSockets(address).open)
    yield* sql`create schema reins`
    return sql
  })
  return { client, layer: Store.layerPostgres({ url }) }
})

const kinds = [{ name: "SQLite", place: onSqlite }, ...(hasPostgres ? [{ name: "PostgreSQL", place: onPostgres }] : [])]

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
}

/** All columns, by table and name. */
const columnsOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql<Column>`select table_name as "table", column_name as name, data_type as type
      from information_schema.columns where table_schema = 'reins' and table_name <> ${migrationsTable} order by 1, 2`,
    orElse: () => sql<Column>`select t.name as "table", c.name as name, c.type as type
      from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite%'
      and t.name <> ${migrationsTable} order by 1, 2`
  })

/** All that the database says about its tables and indexes. */
const schemaOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const definitions = yield* sql.onDialectOrElse({
      pg: () =>
        sql`select tablename, indexname, indexdef from pg_indexes where schemaname = 'reins' order by indexname`,
      orElse: () => sql`select type, name, tbl_name, sql from sqlite_schema order by name`
    })
    return [...(yield* columnsOf(sql)), ...definitions].map((row) => ({ ...row }))
  })

/** Texts that the tables accept, by column and, where they differ, table. */
const words: Readonly<Record<string, string>> = {
  key: "k",
  session_key: "k",
  window_key: "w",
  origin: "reins",
  kind: "run",
  source: "cli",
  billing: "api",
  per: "all",
  unit: "micros",
  "sessions.state": "live",
  "turns.state": "done",
  "inbox.state": "waiting",
  "outbox.state": "ready",
  "bridge_requests.state": "open",
  "bridge_schedules.state": "active",
  "web_conversations.state": "failed",
  "web_requests.state": "taken",
  "cluster_homes.state": "serving",
  "session_moves.state": "packed",
  "worktrees.state": "ready"
}

const valueFor = ({ table, name, type }: Column, at: number) => {
  if (/int/i.test(type)) return at + 1
  if (/blob|bytea/i.test(type)) return Uint8Array.of(0, 255, at)
  return words[`${table}.${name}`] ?? words[name] ?? `${name} of ${table}`
}

/** Tables that others refer to come first. */
const referenced = ["sessions", "budget_windows"]

const tablesIn = (columns: ReadonlyArray<Column>) => [
  ...new Set(
    [...referenced, ...columns.map(({ table }) => table)].filter((name) => columns.some((c) => c.table === name))
  )
]

/** Inserts one row into every table. */
const fill = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const columns = yield* columnsOf(sql)
    for (const table of tablesIn(columns)) {
      const own = columns.filter((column) => column.table === table)
      const row = Object.fromEntries(own.map((column, at) => [column.name, valueFor(column, at)]))
      yield* sql`insert into ${sql(table)} ${sql.insert(row)}`
    }
  })

/** Table → its rows. */
const contentOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const content: Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>> = {}
    for (const table of tablesIn(yield* columnsOf(sql))) {
      content[table] = (yield* sql<Record<string, unknown>>`select * from ${sql(table)}`).map((row) => ({ ...row }))
    }
    return content
  })

const makeVersion = (version: number, client: OldStore["client"]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* client
      yield* Effect.provideService(migrateTo(version), SqlClient.SqlClient, sql)
      yield* fill(sql)
      return yield* contentOf(sql)
    })
  )

const earlier = Array.from({ length: newestSchema - 1 }, (_, at) => at + 1)

/** Hashes of the tables of each version on SQLite. A step that was released is never changed: a new one follows it. */
const released = [
  "3ba33720f41a00ec",
  "36e43c828d24c733",
  "37ebf05e6234cad1",
  "191d584908f8ee20",
  "c0d8e4d6a451299b",
  "5df7d00eaaf6e995",
  "9bc5cb8430ff4b3a",
  "bb448af4183539da",
  "a52724d6adfbc0e8",
  "9ef59150c40e4641"
]

it.live("each version has the tables with which it was released", () =>
  Effect.gen(function* () {
    const hashes: Array<string> = []
    for (let version = 1; version <= newestSchema; version += 1) {
      const { client } = yield* onSqlite
      const schema = yield* Effect.scoped(
        Effect.gen(function* () {
          const sql = yield* client
          yield* Effect.provideService(migrateTo(version), SqlClient.SqlClient, sql)
          return yield* schemaOf(sql)
        })
      )
      hashes.push(createHash("sha256").update(JSON.stringify(schema)).digest("hex").slice(0, 16))
    }
    assert.deepStrictEqual(hashes, released)
  })
)

describe.each(kinds)("a store of an earlier version on $name", ({ place }) => {
  it.live.each(earlier)("%i is brought to the newest, and keeps its rows", (version) =>
    Effect.gen(function* () {
      const fresh = yield* openIn((yield* place).layer)
      const { client, layer } = yield* place
      const before = yield* makeVersion(version, client)
      assert.isNotEmpty(Object.keys(before))

      const { sql, read, warnings } = yield* openIn(layer)
      assert.deepStrictEqual(warnings, [])
      assert.deepStrictEqual(yield* read(schemaOf(sql)), yield* fresh.read(schemaOf(fresh.sql)))
      assert.strictEqual((yield* read(sql`select * from ${sql(migrationsTable)}`)).length, newestSchema)

      const after = yield* read(contentOf(sql))
      for (const [table, [row]] of Object.entries(before)) {
        assert.strictEqual(after[table]?.length, 1, table)
        assert.deepInclude(after[table]?.[0], row ?? {}, table)
      }
    })
  )

  it.live("the newest takes a row in every table", () =>
    Effect.gen(function* () {
      const { sql, read, transact } = yield* openIn((yield* place).layer)
      yield* transact(fill(sql))
      for (const [table, rows] of Object.entries(yield* read(contentOf(sql)))) assert.strictEqual(rows.length, 1, table)
    })
  )
})
