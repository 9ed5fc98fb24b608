/**
 * A lock that the kernel releases when its holder dies: an exclusive SQLite transaction on an empty file. POSIX drops
 * it when its process closes *any* handle of the file, so only this module may open one. `node:sqlite` prints an
 * ExperimentalWarning on Node 22.
 */
import { closeSync, constants, lstatSync, openSync } from "node:fs"
import { Effect, Option, Predicate, Schedule, Schema, type Scope } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"

/** The lock cannot be taken by any process: the system refuses its file, or this runtime has no `node:sqlite`. */
export class LockRefused extends Schema.TaggedError<LockRefused>()("LockRefused", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be locked: ${this.problem}`
  }
}

const refusedBy = (file: string) => (cause: unknown) => {
  const code = codeOf(cause)
  const words = cause instanceof Error ? cause.message : String(cause)
  return new LockRefused({ file, problem: code === undefined ? words : explain(code) })
}

/** Undefined on a runtime that has none (Bun). Loaded at once, in 0.3 ms: a run does not wait a turn of the event loop. */
const loadSqlite = Effect.sync(() => process.getBuiltinModule("node:sqlite"))

/** The problem of a runtime without `node:sqlite`; undefined with it. */
export const sqliteMissing = Effect.map(loadSqlite, (found) =>
  found === undefined ? "this runtime has no node:sqlite" : undefined
)

const createFlags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

const identityOf = (file: string) => {
  const info = lstatSync(file, { bigint: true })
  if (!info.isFile() || info.size > 0n) throw new Error("it is not an empty file, and not of this program's making")
  return `${info.dev}:${info.ino}:${info.birthtimeNs}`
}

/** The file was removed or replaced while it was opened. */
class Replaced extends Schema.TaggedError<Replaced>()("Replaced", {}) {}

/** An existing file is not opened: closing it would drop the lock of another fiber. */
const createEmpty = (file: string) => {
  try {
    closeSync(openSync(file, createFlags, 0o600))
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
  }
  try {
    return identityOf(file)
  } catch (cause) {
    throw codeOf(cause) === "ENOENT" ? new Replaced() : cause
  }
}

const primaryCode = (cause: unknown) =>
  Predicate.hasProperty(cause, "errcode") && Predicate.isNumber(cause.errcode) ? cause.errcode & 0xff : undefined
const sqliteBusy = 5

const attempt = (file: string): Effect.Effect<boolean, LockRefused | Replaced, Scope.Scope> =>
  Effect.gen(function* () {
    const sqlite = yield* loadSqlite
    if (sqlite === undefined) return yield* new LockRefused({ file, problem: "this runtime has no node:sqlite" })
    const before = yield* Effect.try({
      try: () => createEmpty(file),
      catch: (cause) => (cause instanceof Replaced ? cause : refusedBy(file)(cause))
    })
    const database = yield* Effect.acquireRelease(
      Effect.try({ try: () => new sqlite.DatabaseSync(file, { timeout: 0 }), catch: refusedBy(file) }),
      (opened) => Effect.sync(() => opened.close())
    )
    const isTaken = yield* Effect.try({
      try: () => {
        try {
          // Without a journal beside the file. The cache of a held lock is some pages, never used: the smallest there are.
          database.exec("PRAGMA page_size = 512; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
          return true
        } catch (cause) {
          if (primaryCode(cause) === sqliteBusy) return false
          throw cause
        }
      },
      catch: refusedBy(file)
    })
    if (!isTaken) return false
    const after = yield* Effect.option(Effect.try(() => identityOf(file)))
    return Option.contains(after, before) ? true : yield* new Replaced()
  })

/** Does not wait. True: the lock is held until the scope closes. The file stays, and stays empty. */
export const tryKernelLock = (file: string): Effect.Effect<boolean, LockRefused, Scope.Scope> =>
  attempt(file).pipe(
    Effect.retry({ while: ({ _tag }) => _tag === "Replaced", schedule: Schedule.recurs(20) }),
    Effect.catchTag("Replaced", () =>
      Effect.fail(new LockRefused({ file, problem: "it was replaced during each attempt" }))
    )
  )
