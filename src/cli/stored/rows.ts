/** The rows of sessions in a CLI's database; whatever is left out is reported. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import type { StoredDatabase, StoredRow } from "../Stored.ts"
import { checked, type KnownSession } from "./checked.ts"
import { type Database, mostCopied, openDatabase, quoted, selected } from "./database.ts"
import { type Walk, wordsOf } from "./walk.ts"

const longestFact = 4_096
/** Limit for the texts of one session. */
const mostCharacters = 256 * 1024 * 1024

const numberIn = (pattern: RegExp, name: string) => Number(pattern.exec(name)?.[1] ?? 0)

/** The path of the database; undefined if it does not exist. */
const place = async ({ home, env }: Walk, { file }: StoredDatabase): Promise<string | undefined> => {
  const requested = file(env)
  if (requested === undefined || typeof requested === "string") return requested && join(home, requested)
  const names = (await readdir(home).catch(() => [])).filter((name) => requested.test(name))
  const newest = names.sort((a, b) => numberIn(requested, b) - numberIn(requested, a))[0]
  return newest && join(home, newest)
}

const differs = "has another form than this version knows"

/** Uses the database, and leaves nothing behind. Returns undefined if it does not exist or cannot be read. */
const using = async <A>(
  walk: Walk,
  database: StoredDatabase,
  copy: number,
  use: (db: Database, columns: ReadonlyArray<string>) => A | Promise<A>,
  isWhole = false
): Promise<A | undefined> => {
  const path = await place(walk, database)
  if (path === undefined) return undefined
  const opened = await openDatabase(path, copy, isWhole)
  if (opened === undefined) return undefined
  if (typeof opened === "string") {
    walk.skip({ path, problem: opened })
    return undefined
  }
  try {
    const columns = opened.columnsOf(database.sessions)
    if (columns.includes(database.sessions.id)) return await use(opened, columns)
    walk.skip({ path, problem: differs })
  } catch (cause) {
    walk.skip({ path, problem: wordsOf(cause) })
  } finally {
    await opened.close()
  }
  return undefined
}

const promptsOf = (db: Database, { prompts }: StoredDatabase): ((sessionId: string) => number | undefined) => {
  if (prompts === undefined) return () => undefined
  const { table: name, session, column, contains } = prompts
  if (db.columnsOf({ name, columns: [session, column] }).length < 2) return () => undefined
  const count = `SELECT count(*) AS n FROM ${quoted(name)} WHERE ${quoted(session)} = ? AND instr(substr(${quoted(column)}, 1, ${longestFact}), ?) > 0`
  return (sessionId) => {
    const [row] = db.rows(count, sessionId, contains)
    return typeof row?.["n"] === "number" ? row["n"] : undefined
  }
}

const withTurns = (session: KnownSession, turns: number | undefined): KnownSession => ({
  ...session,
  turns: session.turns ?? turns
})

const sessionOf = (database: StoredDatabase, row: StoredRow): KnownSession | undefined => {
  const reading = database.read(row)
  return reading === undefined || typeof reading === "string" ? undefined : checked(reading, 0)
}

/** The most recently used sessions. */
export const newestRows = async (
  walk: Walk,
  database: StoredDatabase,
  limit: number
): Promise<ReadonlyArray<KnownSession> | undefined> =>
  using(walk, database, mostCopied.usually, async (db, columns) => {
    const { name, newest } = database.sessions
    const order = newest.find((column) => columns.includes(column))
    const by = order === undefined ? "" : ` ORDER BY ${quoted(order)} DESC`
    const rows = [...db.rows(`SELECT ${selected(columns, longestFact)} FROM ${quoted(name)}${by} LIMIT ${limit}`)]
    const turnsOf = promptsOf(db, database)
    const sessions: Array<KnownSession> = []
    for (const row of rows) {
      // Each count is short; other work runs between them.
      if (sessions.length % 16 === 15) await setImmediate()
      if (walk.signal.aborted) break
      const session = sessionOf(database, row)
      if (session !== undefined) sessions.push(withTurns(session, turnsOf(session.sessionId)))
    }
    return sessions
  })

/** One session. `quick`: the journal, which may hold recent changes, is read only if it is not found without. */
export const rowOf = async (
  walk: Walk,
  database: StoredDatabase,
  sessionId: string,
  quick: boolean
): Promise<KnownSession | undefined> => {
  const look = (db: Database, columns: ReadonlyArray<string>) => {
    const { name, id } = database.sessions
    const sql = `SELECT ${selected(columns, longestFact)} FROM ${quoted(name)} WHERE ${quoted(id)} = ?`
    const [row] = db.rows(sql, sessionId)
    const session = row && sessionOf(database, row)
    return session && withTurns(session, promptsOf(db, database)(sessionId))
  }
  const quiet = { ...walk, skip: () => undefined }
  const found = quick ? await using(quiet, database, 0, look) : undefined
  return found ?? (await using(walk, database, quick ? mostCopied.quick : mostCopied.usually, look))
}

/** The result of a query on a database with its journal; undefined if it cannot be read, or is too large. */
export const queried = <A>(walk: Walk, database: StoredDatabase, query: (db: Database) => A): Promise<A | undefined> =>
  using(walk, database, mostCopied.quick, query, true)

/** All rows of a session, by table; undefined if the tables have another form. */
export const rowsOf = async (
  walk: Walk,
  database: StoredDatabase,
  sessionId: string
): Promise<ReadonlyArray<ReadonlyArray<StoredRow>> | undefined> =>
  using(walk, database, mostCopied.usually, (db) => {
    let left = mostCharacters
    return (database.items?.tables ?? []).map((table) => {
      const columns = db.columnsOf(table)
      if (!db.columnsOf({ ...table, columns: [table.session, table.order] }).includes(table.session)) return []
      const sql = `SELECT ${selected(columns, mostCharacters)} FROM ${quoted(table.name)} WHERE ${quoted(table.session)} = ? ORDER BY ${quoted(table.order)}`
      const rows: Array<StoredRow> = []
      for (const row of db.rows(sql, sessionId)) {
        for (const value of Object.values(row)) left -= typeof value === "string" ? value.length : 8
        if (left < 0) {
          walk.skip({ path: walk.home, problem: `holds more of ${sessionId} than is read: the rest is left out` })
          break
        }
        rows.push(row)
      }
      return rows
    })
  })
