// One suite over all stores: what a transaction promises, on whichever database.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { StoreError } from "../../../src/contract/StoreError.ts"
import { newestSchema } from "../../../src/conversations/store/migrations.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { openIn, storeKinds } from "./stores.ts"

const session = (key: string, more: object = {}) => ({
  key,
  home: "h",
  cli: "claude",
  session_id: key,
  origin: "reins",
  state: "live",
  created: 1,
  used: 1_790_000_000_000,
  ...more
})

const insertSession = ({ sql }: OpenStore, key: string) => sql`insert into sessions ${sql.insert(session(key))}`

const keysIn = ({ sql, read }: OpenStore) =>
  Effect.map(read(sql<{ key: string }>`select key from sessions order by key`), (rows) => rows.map(({ key }) => key))

describe.each(storeKinds)("a store: $name", ({ place, isShared }) => {
  it.live("keeps what it was given: numbers, texts of all kinds, bytes and nothing", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const { sql, transact, read } = store
      const title = '\'; drop table sessions; -- \u{1f980} \u202e \\ "x" \r\n'
      yield* transact(sql`insert into sessions ${sql.insert(session("a", { title, directory: null }))}`)
      yield* transact(sql`insert into blobs ${sql.insert({ hash: "x", bytes: Uint8Array.of(0, 255, 10), created: 0 })}`)
      const rows = yield* read(
        sql`select title, directory, used, turns, (select count(*) from sessions) as number from sessions where key = ${"a"}`
      )
      assert.deepStrictEqual({ ...rows[0] }, { title, directory: null, used: 1_790_000_000_000, turns: 0, number: 1 })
      const [blob] = yield* read(sql<{ bytes: Uint8Array }>`select bytes from blobs`)
      assert.deepStrictEqual([...(blob?.bytes ?? [])], [0, 255, 10])
    })
  )

  it.live("does all of a transaction or nothing, a part of it included", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const { transact } = store
      const failing = Effect.gen(function* () {
        yield* insertSession(store, "a")
        yield* transact(insertSession(store, "b"))
        return yield* Effect.fail("no" as const)
      })
      assert.strictEqual(yield* Effect.flip(transact(failing)), "no")
      assert.deepStrictEqual(yield* keysIn(store), [])
      yield* transact(Effect.andThen(insertSession(store, "a"), transact(insertSession(store, "b"))))
      assert.deepStrictEqual(yield* keysIn(store), ["a", "b"])
    })
  )

  it.live("says why it cannot, without what it was given", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const { sql, transact } = store
      yield* transact(insertSession(store, "secret-key"))
      const errors = [
        yield* Effect.flip(transact(insertSession(store, "secret-key"))),
        yield* Effect.flip(transact(sql`insert into sessions ${sql.insert(session("b", { state: "secret-state" }))}`)),
        yield* Effect.flip(transact(sql`select secret_column from sessions`)),
        yield* Effect.flip(
          transact(
            sql`insert into conversations ${sql.insert({ conversation: "secret", cli: "c", session_key: "none" })}`
          )
        )
      ]
      for (const error of errors) {
        assert.instanceOf(error, StoreError)
        assert.strictEqual(error.reason._tag, "StoreUnavailable")
        assert.notMatch(JSON.stringify(error) + error.message + error.stack, /secret/)
      }
      assert.deepStrictEqual(yield* keysIn(store), ["secret-key"])
    })
  )

  it.live("forgets with a session its transcript and the conversations that went on with it", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const { sql, transact, read } = store
      yield* transact(insertSession(store, "a"))
      yield* transact(
        sql`insert into conversations ${sql.insert({ conversation: '["x"]', cli: "claude", session_key: "a" })}`
      )
      yield* transact(
        sql`insert into transcript ${sql.insert({ session_key: "a", position: 1, run_id: "r", at: 1, event: "{}" })}`
      )
      yield* transact(sql`delete from sessions where key = ${"a"}`)
      const left = yield* read(sql`select 1 from conversations union all select 1 from transcript`)
      assert.deepStrictEqual([...left], [])
    })
  )

  it.live("lets no two transactions see the same number, in one process and in several connections", () =>
    Effect.gen(function* () {
      const layer = yield* place
      const first = yield* openIn(layer)
      const stores = isShared ? [first, yield* openIn(layer), yield* openIn(layer)] : [first]
      const next = ({ sql, transact }: OpenStore, by: number) =>
        transact(
          Effect.gen(function* () {
            const [row] = yield* sql<{
              last: number | null
            }>`select max(seq) as last from turns where conversation = 'c'`
            yield* Effect.yieldNow
            const seq = (row?.last ?? 0) + 1
            yield* sql`insert into turns ${sql.insert({ turn_id: `${by}-${seq}`, conversation: "c", cli: "claude", seq, state: "queued", digest: "", created: 1 })}`
          })
        )
      const many = stores.flatMap((store, by) => Array.from({ length: 10 }, () => next(store, by)))
      yield* Effect.all(many, { concurrency: "unbounded" })
      const rows = yield* first.read(first.sql<{ seq: number }>`select seq from turns order by seq`)
      assert.deepStrictEqual(
        rows.map(({ seq }) => seq),
        many.map((_, index) => index + 1)
      )
    })
  )

  it.live("goes back when a transaction is left in its middle, and is free for the next", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const begun = yield* Effect.forkChild(store.transact(Effect.andThen(insertSession(store, "a"), Effect.never)), {
        startImmediately: true
      })
      yield* Effect.sleep(20)
      yield* Fiber.interrupt(begun)
      yield* store.transact(insertSession(store, "b"))
      assert.deepStrictEqual(yield* keysIn(store), ["b"])
    })
  )

  it.live.skipIf(!isShared)("is opened by many at once; each step of its tables is done once", () =>
    Effect.gen(function* () {
      const layer = yield* place
      const stores = yield* Effect.all(
        Array.from({ length: 8 }, () => openIn(layer)),
        { concurrency: "unbounded" }
      )
      for (const { read, sql, warnings } of stores) {
        assert.deepStrictEqual(warnings, [])
        assert.strictEqual((yield* read(sql`select * from reins_migrations`)).length, newestSchema)
      }
    })
  )
})
