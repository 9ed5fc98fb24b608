// Failures of a server: down, refusing, gone in the middle, silent; and what of its URL is ever shown.
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Redacted, References, Result, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { newestSchema } from "../../../src/conversations/store/migrations.ts"
import type { PostgresStoreOptions } from "../../../src/conversations/store/OpenStore.ts"
import { addressOf } from "../../../src/conversations/store/postgresServer.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { hasPostgres, makeDatabase, postgres } from "../../kit/postgres.ts"
import { openIn } from "./stores.ts"

const refusalOf = (options: PostgresStoreOptions) =>
  Effect.map(Effect.flip(Effect.scoped(openIn(Store.layerPostgres(options)))), ({ reason, message, help, stack }) => ({
    tag: reason._tag,
    message,
    all: `${JSON.stringify(reason)} ${message} ${help} ${stack}`
  }))

describe("the URL of a store on PostgreSQL", () => {
  it.effect.each([
    ["", /^url: is not of the form postgres:/],
    ["mysql://u:hidden@h/db", /^url: is not of the form postgres:/],
    ["postgres://u:hidden@h:port/db", /^url: is not of the form postgres:/],
    ["postgres://u:hidden%zz@h/db", /^url: has a %/],
    ["postgres://u:hidden@h/db?sslmode=maybe", /^url: sslmode is not one of disable, allow/]
  ] as const)("%s is refused, and not shown", ([url, problem]) =>
    Effect.gen(function* () {
      const { tag, message, all } = yield* refusalOf({ url: Redacted.make(url) })
      assert.strictEqual(tag, "InvalidParams")
      assert.match(message, problem)
      assert.notInclude(all, "hidden")
    })
  )

  it.effect.each([{ url: 7 }, {}, { url: "postgres://h/db", path: "x" }])("%o is refused", (options) =>
    Effect.map(refusalOf(options as PostgresStoreOptions), ({ tag, message }) => {
      assert.strictEqual(tag, "InvalidParams")
      assert.match(message, /^(?:url|path): /)
    })
  )

  it.each([
    ["postgres://user:hidden@example.org/reins", "example.org:5432/reins"],
    ["postgresql://user:hidden@[::1]:6000/a%20b?sslmode=verify-full", "::1:6000/a b"],
    ["postgres://user:hidden@%2Frun%2Fpostgresql", "/run/postgresql:5432/user"],
    ["postgres:///db?host=/tmp&port=7&password=hidden", "/tmp:7/db"],
    ["postgres://h/%1b%5b31m", "h:5432/"]
  ])("%s is shown as %s", (url, place) => {
    const known = Result.map(addressOf(url), (address) => address.place)
    assert.isTrue(known._tag === "Success" && known.success.startsWith(place) && !/[\x00-\x1f]/.test(known.success))
  })
})

describe.skipIf(!hasPostgres)("a server of PostgreSQL", () => {
  it.live("that is not there, or refuses this user or this database, is unavailable", () =>
    Effect.gen(function* () {
      const { urlOf, password } = yield* postgres
      const closed = yield* refusalOf({ url: Redacted.make("postgres://u:made-up@127.0.0.1:1/db") })
      const stranger = yield* refusalOf({ url: Redacted.make(urlOf("postgres").replace(password, "made-up")) })
      const nowhere = yield* refusalOf({ url: Redacted.make(urlOf("nowhere")) })
      const encrypted = yield* refusalOf({ url: Redacted.make(`${urlOf("postgres")}?sslmode=require`) })
      for (const { tag, all } of [closed, stranger, nowhere, encrypted]) {
        assert.strictEqual(tag, "StoreUnavailable")
        assert.notInclude(all, "made-up")
        assert.notInclude(all, password)
      }
      assert.match(closed.message, /cannot be reached \(127\.0\.0\.1:\d+\/\w+\)$/)
      assert.match(stranger.message, /refuses this user/)
      assert.include(stranger.all, "Correct the user and the password")
      assert.match(nowhere.message, /the database does not exist/)
    })
  )

  it.live("that takes connections and never answers is unavailable after five seconds", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<ReturnType<typeof createServer>>((resolve) => {
              const server = createServer(() => {}).listen(0, "127.0.0.1", () => resolve(server))
            })
        ),
        (server) => Effect.sync(() => server.close())
      )
      const address = silent.address()
      const port = typeof address === "object" ? address?.port : undefined
      const { message } = yield* refusalOf({
        url: Redacted.make(`postgres://u:p@127.0.0.1:${port}/db?connect_timeout=1`)
      })
      assert.match(message, /cannot be reached/)
    })
  )

  it.live("that ends a connection in the middle fails that work alone, and nothing of it is kept", () =>
    Effect.gen(function* () {
      const { url, name } = yield* makeDatabase
      const { psql } = yield* postgres
      const { transact, read, sql } = yield* openIn(Store.layerPostgres({ url }))
      const blob = (hash: string) =>
        sql`insert into blobs ${sql.insert({ hash, bytes: new Uint8Array(1), created: 1 })}`
      const cut = Effect.gen(function* () {
        yield* blob("a")
        psql("postgres", `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
        yield* blob("b")
      })
      const error = yield* Effect.flip(transact(cut))
      assert.strictEqual(error.reason._tag, "StoreUnavailable")
      assert.match(error.message, /ended the connection|cannot be reached/)
      yield* transact(blob("c"))
      assert.deepStrictEqual(
        (yield* read(sql`select hash from blobs`)).map((row) => ({ ...row })),
        [{ hash: "c" }]
      )
    })
  )

  it.live("knows soon that a machine is gone, and keeps no transaction of it", () =>
    Effect.gen(function* () {
      const { url } = yield* makeDatabase
      const { read, sql } = yield* openIn(Store.layerPostgres({ url }))
      const settings = yield* read(
        sql<{
          name: string
          setting: string
        }>`select name, setting from pg_settings where name in ('tcp_keepalives_idle', 'tcp_user_timeout', 'lock_timeout', 'search_path', 'application_name', 'idle_in_transaction_session_timeout') order by name`
      )
      assert.deepStrictEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
        application_name: "reins",
        idle_in_transaction_session_timeout: "60000",
        lock_timeout: "10000",
        search_path: "reins",
        tcp_keepalives_idle: "15",
        tcp_user_timeout: "30000"
      })
    })
  )

  it.live("has tables of other programs beside ours, and a newer schema of ours is left as it is", () =>
    Effect.gen(function* () {
      const { url, name } = yield* makeDatabase
      const { psql } = yield* postgres
      psql(name, "create table sessions (mine int); insert into sessions values (7)")
      yield* Effect.scoped(openIn(Store.layerPostgres({ url })))
      assert.strictEqual(psql(name, "select mine from public.sessions"), "7")
      psql(name, "insert into reins.reins_migrations (migration_id, name) values (999, 'later')")
      const { tag, message } = yield* refusalOf({ url })
      assert.strictEqual(tag, "StoreTooNew")
      assert.match(message, /^The store 127\.0\.0\.1:\d+\/\w+ was written by a newer version of Reins: its schema is /)
      assert.include(message, `999, and this version knows ${newestSchema}`)
    })
  )

  it.effect("whose process is stopped is unavailable after thirty seconds, and holds up no other store", () =>
    Effect.gen(function* () {
      const { url } = yield* makeDatabase
      const { transact, read, sql } = yield* TestClock.withLive(openIn(Store.layerPostgres({ url })))
      const [backend] = yield* TestClock.withLive(read(sql<{ pid: number }>`select pg_backend_pid() as pid`))
      const pid = backend?.pid ?? 0
      assert.isAbove(pid, 1)
      process.kill(pid, "SIGSTOP")
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(pid, "SIGCONT")))
      const waiting = yield* Effect.forkChild(Effect.flip(transact(sql`select 1`)), { startImmediately: true })
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(waiting)
      assert.match(error.message, /did not answer for 30 s/)
    })
  )

  it.live("shows its URL in no span and no log", () =>
    Effect.gen(function* () {
      const { url } = yield* makeDatabase
      const { password } = yield* postgres
      const visible: Array<unknown> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          visible.push(span)
          return span
        }
      })
      const logger = Logger.make((entry) => {
        visible.push(entry.message)
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { transact, sql } = yield* openIn(Store.layerPostgres({ url }))
          yield* transact(sql`select 1`)
          yield* Effect.flip(transact(sql`select nothing`))
        })
      ).pipe(
        Effect.withTracer(tracer),
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, "All")
      )
      const { inspect } = yield* Effect.promise(() => import("node:util"))
      const text = inspect(visible, { depth: 12, maxArrayLength: null, maxStringLength: null, showHidden: true })
      assert.include(text, "sql.transaction")
      assert.notInclude(text, password)
    })
  )
})
