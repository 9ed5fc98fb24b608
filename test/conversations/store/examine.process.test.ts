// Findings of doctor about a store, on either database: it changes nothing.
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { examineStore, problemsOfStore } from "../../../src/api/doctor/diagnose.ts"
import { newestSchema } from "../../../src/conversations/store/migrations.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { hasPostgres, makeDatabase } from "../../kit/postgres.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { openIn } from "./stores.ts"

const makeStore = Effect.gen(function* () {
  const directory = join(yield* makeDirectory, "store")
  yield* Effect.scoped(openIn(Store.layerFile({ directory })))
  return { directory, file: join(directory, "store.db") }
})

describe("doctor tells of a store in a file", () => {
  it.live("that none is there, and begins none", () =>
    Effect.gen(function* () {
      const directory = join(yield* makeDirectory, "store")
      const place = join(directory, "store.db")
      const report = yield* examineStore({ directory })
      assert.deepStrictEqual(report, { kind: "file", place, status: "absent", supported: newestSchema, movedAside: [] })
      assert.isFalse(existsSync(directory))
      assert.deepStrictEqual(problemsOfStore(report), [])
    })
  )

  it.live("where it is, its version, and that it is whole, also while it is used", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      const { sql, transact } = yield* openIn(Store.layerFile({ directory }))
      yield* transact(sql`insert into blobs ${sql.insert({ hash: "a", bytes: new Uint8Array(9), created: 1 })}`)
      const { bytes = 0, logBytes = 0, database = "", ...report } = yield* examineStore({ directory })
      assert.deepStrictEqual(report, {
        kind: "file",
        place: file,
        status: "good",
        schema: newestSchema,
        supported: newestSchema,
        journal: "wal",
        sessions: 0,
        locks: true,
        movedAside: []
      })
      assert.isAbove(bytes + logBytes, 4_096)
      assert.match(database, /^SQLite 3\./)
    })
  )

  const damaged: ReadonlyArray<readonly [string, (file: string) => void]> = [
    ["is not a database", (file) => writeFileSync(file, "no database at all")],
    [
      "is damaged inside",
      (file) => {
        const bytes = readFileSync(file)
        writeFileSync(file, bytes.fill(0xee, bytes.length - 8_192))
      }
    ]
  ]

  it.live.each(damaged)("that it %s, and leaves it", ([_, damage]) =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      damage(file)
      const before = readFileSync(file)
      const report = yield* examineStore({ directory })
      assert.strictEqual(report.status, "damaged")
      assert.include(report.problem, file)
      assert.strictEqual(problemsOfStore(report)[0]?.severity, "warning")
      assert.isTrue(before.equals(readFileSync(file)))
    })
  )

  it.live("that it is of a newer version, or not to be used, and what to do", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      const newer = new DatabaseSync(file)
      newer.exec("insert into reins_migrations (migration_id, name) values (999, 'later')")
      newer.close()
      assert.deepInclude(yield* examineStore({ directory }), {
        status: "newer",
        cure: "Update Reins, or use another directory for the store."
      })
      chmodSync(directory, 0o777)
      const open = yield* examineStore({ directory })
      assert.strictEqual(open.status, "unusable")
      assert.match(open.problem ?? "", /can be written by others/)
      const link = `${directory}2`
      symlinkSync(directory, link)
      assert.match((yield* examineStore({ directory: link })).problem ?? "", /is a symbolic link/)
    })
  )

  it.live("which damaged ones were moved aside", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      writeFileSync(file, "no database at all")
      yield* Effect.scoped(openIn(Store.layerFile({ directory })))
      const report = yield* examineStore({ directory })
      assert.strictEqual(report.status, "good")
      assert.strictEqual(report.movedAside.length, 1)
      assert.include(problemsOfStore(report)[0]?.problem, report.movedAside[0])
    })
  )
})

describe.skipIf(!hasPostgres)("doctor tells of a store on PostgreSQL", () => {
  it.live("whether one was begun, and its versions", () =>
    Effect.gen(function* () {
      const { url, name } = yield* makeDatabase
      const absent = yield* examineStore({ postgres: url })
      assert.deepInclude(absent, { kind: "postgres", status: "absent", schema: 0 })
      assert.match(absent.place, new RegExp(`^127\\.0\\.0\\.1:\\d+/${name}$`))
      yield* Effect.scoped(openIn(Store.layerPostgres({ url })))
      const report = yield* examineStore({ postgres: url })
      assert.deepInclude(report, { status: "good", schema: newestSchema, sessions: 0, locks: true })
      assert.match(report.database ?? "", /^PostgreSQL \d+/)
    })
  )

  it.live.each(["postgres://u:made-up@127.0.0.1:1/db", "mysql://u:made-up@h/db", "made-up"])(
    "that %s cannot be used, without its password",
    (postgres) =>
      Effect.gen(function* () {
        const report = yield* examineStore({ postgres })
        assert.strictEqual(report.status, "unusable")
        assert.notInclude(JSON.stringify(report), "made-up")
        assert.isDefined(report.cure)
      })
  )
})
