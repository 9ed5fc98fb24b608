/** Examines a store in a file for `doctor`: creates, migrates and moves nothing. */
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect, Result } from "effect"
import type { StoreReport } from "../../contract/DoctorReport.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { tryKernelLock } from "../../system/locks/kernelLock.ts"
import { findStateDirectory } from "../../system/locks/stateDirectory.ts"
import { isDamaged } from "./damaged.ts"
import { ownDirectory, ownFiles } from "./directory.ts"
import { checkSchema } from "./migrated.ts"
import { newestSchema } from "./migrations.ts"
import { checkFileSystem } from "./networkFileSystem.ts"
import { makeSqliteClient } from "./sqlite.ts"
import { attempt, checkApplication, openDatabase, pragma } from "./sqliteDatabase.ts"
import { patiently } from "./transact.ts"

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const asideIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory)
    .filter((name) => /^store\.db\.corrupt-[^/]*Z$/.test(name))
    .map((name) => join(directory, name))

/** Tests whether a held lock keeps another out. */
const testLocks = (directory: string) =>
  Effect.gen(function* () {
    const file = join(directory, "doctor.lock")
    const isTaken = yield* tryKernelLock(file)
    return !isTaken || !(yield* Effect.scoped(tryKernelLock(file)))
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => false)
  )

const measure = (place: string) =>
  Effect.gen(function* () {
    const database = yield* openDatabase(place)
    const sql = yield* makeSqliteClient(database)
    const schema = yield* checkSchema(sql, place)
    yield* checkApplication(database, place)
    const check = yield* attempt("check", () => String(pragma(database, "quick_check(1)")))
    const [counted] = schema === 0 ? [] : yield* sql<{ sessions: number }>`select count(*) as sessions from sessions`
    const [version] = yield* sql<{ version: string }>`select sqlite_version() as version`
    return {
      schema,
      database: `SQLite ${version?.version}`,
      journal: String(pragma(database, "journal_mode")),
      sessions: counted?.sessions ?? 0,
      check
    }
  })

const examineExisting = Effect.fnUntraced(function* (place: string, known: Omit<StoreReport, "status">) {
  const directory = dirname(place)
  yield* ownDirectory(directory)
  yield* checkFileSystem(directory)
  yield* ownFiles(place)
  const sizes = { bytes: sizeOf(place), logBytes: sizeOf(`${place}-wal`) }
  const found = yield* Effect.result(Effect.scoped(measure(place)))
  if (Result.isFailure(found)) {
    if (!isDamaged(found.failure)) return yield* found.failure
    return {
      ...known,
      ...sizes,
      status: "damaged",
      problem: `The store ${place} is damaged, or no database.`,
      cure: "The next use moves it aside, and begins a new one; what it knew of conversations is lost."
    } satisfies StoreReport
  }
  const { check, ...facts } = found.success
  const locks = yield* testLocks(directory)
  const report = { ...known, ...sizes, ...facts, locks }
  if (check !== "ok") {
    const problem = `The store ${place} is damaged: ${harmless(check).slice(0, 200)}.`
    return { ...report, status: "damaged", problem, cure: "Move it away; a new one is begun." } satisfies StoreReport
  }
  if (!locks) {
    return {
      ...report,
      status: "unusable",
      problem: `The store ${place} lies where locks between processes do not work.`,
      cure: "Use another directory."
    } satisfies StoreReport
  }
  return { ...report, status: "good" } satisfies StoreReport
})

export const examineFile = (path: string | undefined): Effect.Effect<StoreReport> =>
  Effect.gen(function* () {
    const directory = path === undefined ? join(yield* findStateDirectory, "store") : resolve(path)
    const place = join(directory, "store.db")
    const known = { kind: "file", place, supported: newestSchema } as const
    if (!existsSync(directory)) return { ...known, status: "absent", movedAside: [] } satisfies StoreReport
    const report = { ...known, movedAside: asideIn(directory) }
    if (!existsSync(place)) return { ...report, status: "absent" } satisfies StoreReport
    return yield* Effect.catch(patiently(examineExisting(place, report)), ({ reason, help }) =>
      Effect.succeed<StoreReport>({
        ...report,
        status: reason._tag === "StoreTooNew" ? "newer" : "unusable",
        problem: `${reason.message}.`,
        cure: help
      })
    )
  }).pipe(
    Effect.catchTag("StateUnusable", ({ problem }) =>
      Effect.succeed<StoreReport>({
        kind: "file",
        place: "store.db",
        supported: newestSchema,
        movedAside: [],
        status: "unusable",
        problem: `${problem}.`
      })
    )
  )
