/**
 * A database of a CLI, read so that nothing is written beside it: one without a journal is opened as immutable, else it is
 * copied with its journal, since SQLite writes beside a journal to read it. `node:sqlite` is loaded here, and prints an
 * ExperimentalWarning on Node 22.
 */
import { constants } from "node:fs"
import { copyFile, lstat, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { StoredRow, StoredTable } from "../Stored.ts"
import { wordsOf } from "./walk.ts"

/** In bytes, together with its journal; a larger one is read as of its last checkpoint. */
export const mostCopied = { usually: 1024 * 1024 * 1024, quick: 64 * 1024 * 1024 }
const journals = ["-wal", "-journal"]
const attempts = 3

export interface Database {
  /** The columns of a plain table that are among these; empty if the table does not exist. */
  readonly columnsOf: (table: StoredTable) => ReadonlyArray<string>
  /** Texts are cut at this length. */
  readonly rows: (sql: string, ...params: ReadonlyArray<string | number>) => Iterable<StoredRow>
  readonly close: () => Promise<void>
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** No blobs, texts up to a length, and numbers as reals: an integer can be too large for JavaScript. */
export const selected = (columns: ReadonlyArray<string>, longest: number): string =>
  columns
    .map((name) => {
      const column = quoted(name)
      return `CASE typeof(${column}) WHEN 'text' THEN substr(${column}, 1, ${longest}) WHEN 'integer' THEN CAST(${column} AS REAL) WHEN 'real' THEN ${column} END AS ${column}`
    })
    .join(", ")

const wrapped = (db: DatabaseSync, remove: () => Promise<void>): Database => ({
  columnsOf: ({ name, columns }) => {
    const found = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name)
    const sql = found?.["sql"]
    // A virtual table or a view computes its rows.
    if (typeof sql !== "string" || !/^\s*CREATE\s+TABLE\b/i.test(sql)) return []
    const known = new Set(
      db
        .prepare("SELECT name FROM pragma_table_info(?)")
        .all(name)
        .map((row) => row["name"])
    )
    return columns.filter((column) => known.has(column))
  },
  rows: (sql, ...params) => db.prepare(sql).iterate(...params),
  close: async () => {
    db.close()
    await remove()
  }
})

const stampOf = (path: string) =>
  lstat(path).then(
    (info) => ({ size: info.size, isFile: info.isFile(), stamp: `${info.ino} ${info.size} ${info.mtimeMs}` }),
    () => undefined
  )

const stampsOf = (file: string) => Promise.all(["", ...journals].map((suffix) => stampOf(file + suffix)))
type Stamps = Awaited<ReturnType<typeof stampsOf>>
const isSame = (a: Stamps, b: Stamps) => a.every((stamp, index) => stamp?.stamp === b[index]?.stamp)
const sizeOf = (stamps: Stamps) => stamps.reduce((sum, stamp) => sum + (stamp?.size ?? 0), 0)

/** Copies into a private directory; retried while the CLI writes. */
const copied = async (file: string): Promise<{ readonly directory: string; readonly copy: string }> => {
  const directory = await mkdtemp(join(tmpdir(), "reins-stored-"))
  const copy = join(directory, "copy.db")
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await stampsOf(file)
    for (const [index, suffix] of ["", ...journals].entries()) {
      if (before[index]?.isFile !== true) continue
      await copyFile(file + suffix, copy + suffix, constants.COPYFILE_FICLONE).catch(() => undefined)
    }
    if (isSame(before, await stampsOf(file))) break
  }
  return { directory, copy }
}

/**
 * Or the reason why it cannot be read; undefined if it does not exist. `copy`: the most bytes to copy if it has a journal,
 * which may hold recent rows; `isWhole`: a larger one is not read at all.
 */
export const openDatabase = async (
  file: string,
  copy: number,
  isWhole = false
): Promise<Database | string | undefined> => {
  const sqlite = await import("node:sqlite").catch(() => undefined)
  const stamps = await stampsOf(file)
  const [main, ...beside] = stamps
  if (main === undefined) return undefined
  if (!main.isFile) return "is not a regular file"
  if (main.size === 0) return "is empty"
  if (sqlite === undefined) return "cannot be read: this runtime has no node:sqlite"
  const hasJournal = beside.some((stamp) => stamp !== undefined && stamp.size > 0)
  let remove = () => Promise.resolve()
  try {
    if (hasJournal && sizeOf(stamps) <= copy) {
      const made = await copied(file)
      remove = () => rm(made.directory, { recursive: true, force: true })
      // A rollback journal is played back at once; a write-ahead log would be moved into the copy for nothing.
      const readOnly = (beside[0]?.size ?? 0) > 0
      return wrapped(new sqlite.DatabaseSync(made.copy, { readOnly }), remove)
    }
    if (hasJournal && isWhole) return "is too large to be read with its journal"
    const url = pathToFileURL(file)
    url.searchParams.set("immutable", "1")
    return wrapped(new sqlite.DatabaseSync(url, { readOnly: true }), remove)
  } catch (cause) {
    await remove()
    return wordsOf(cause)
  }
}
