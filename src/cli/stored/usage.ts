/** Usage of one session, and of its sub-agents, in a span of time, from the end of the CLI's own files. */

import { parsed } from "../jsonFields.ts"
import type { StoredDatabaseUsage, StoredUsage } from "../Stored.ts"
import { quoted, selected } from "./database.ts"
import { type OpenStore, openStore, type StoreOf } from "./find.ts"
import { linesFromEnd } from "./fromEnd.ts"
import { queried } from "./rows.ts"
import { type FoundSum, sumOf } from "./sumOfUsage.ts"
import { type FoundFile, findFiles } from "./walk.ts"

export interface UsageQuestion extends StoreOf {
  readonly sessionId: string
  /** In ms since 1970. */
  readonly since: number
  readonly until: number
  /** Includes sub-agents, which have files of their own. */
  readonly withAgents: boolean
}

/** File systems keep times of less precision. */
const precisionMs = 2_000
const mostAnswers = 100_000
const longestMessage = 64 * 1024

const filesOf = async (
  { stored, walk }: OpenStore,
  { sessionId, since, withAgents }: UsageQuestion
): Promise<ReadonlyArray<FoundFile>> => {
  const { files } = stored
  if (files?.usage === undefined) return []
  const own = await findFiles(walk, files.paths, (name) => files.isOf(name, sessionId))
  const others = withAgents ? await findFiles(walk, files.usage.agents(sessionId)) : []
  const byPath = new Map([...own, ...others].map((file) => [file.path, file]))
  return [...byPath.values()].filter(({ modifiedAt }) => modifiedAt >= since - precisionMs)
}

/** Newest first. */
const inFiles = async (store: OpenStore, question: UsageQuestion): Promise<ReadonlyArray<StoredUsage>> => {
  const { usage } = store.stored.files ?? {}
  const found: Array<StoredUsage> = []
  if (usage === undefined) return found
  const { sessionId, since } = question
  for (const { path } of await filesOf(store, question)) {
    const take = (line: Buffer): boolean => {
      if (!usage.marks.some((mark) => line.includes(mark))) return true
      const one = usage.read(parsed(line.toString("utf8")), sessionId)
      if (one === undefined) return true
      found.push(one)
      return one.at >= since && found.length < mostAnswers
    }
    // A file that is gone or unreadable has no usage.
    await linesFromEnd(path, take, store.walk.signal).catch(() => undefined)
  }
  return found
}

const answersOf = ({ name, session, time, parent, columns }: StoredDatabaseUsage, sessions: string, id: string) => `
WITH RECURSIVE family(id) AS (
  SELECT ?1 UNION SELECT s.${quoted(id)} FROM ${quoted(sessions)} s JOIN family ON s.${quoted(parent)} = family.id
)
SELECT ${selected(columns, longestMessage)} FROM ${quoted(name)}
WHERE ${quoted(session)} IN (SELECT id FROM family) AND ${quoted(time)} BETWEEN ?2 AND ?3
ORDER BY ${quoted(time)} DESC LIMIT ${mostAnswers}`

const inDatabase = async (
  { stored, walk }: OpenStore,
  { sessionId, since, until }: UsageQuestion
): Promise<ReadonlyArray<StoredUsage>> => {
  const { database } = stored
  const usage = database?.usage
  if (database === undefined || usage === undefined) return []
  const { name, id } = database.sessions
  const found = await queried(walk, database, (db) => {
    const isKnown =
      db.columnsOf({ name, columns: [id, usage.parent] }).length === 2 &&
      db.columnsOf({ ...usage, columns: [usage.session, usage.time] }).length === 2
    if (!isKnown) return []
    const columns = db.columnsOf(usage)
    return [...db.rows(answersOf({ ...usage, columns }, name, id), sessionId, since, until)]
  })
  return (found ?? []).flatMap((row) => usage.read(row) ?? [])
}

/** Undefined if nothing is known. */
export const storedUsage = async (question: UsageQuestion, signal: AbortSignal): Promise<FoundSum | undefined> => {
  const store = await openStore(question, signal)
  if (store === undefined) return undefined
  const { since, until } = question
  const found = [...(await inFiles(store, question)), ...(await inDatabase(store, question))]
  // A partial reading would report too little.
  return signal.aborted ? undefined : sumOf(found.filter(({ at }) => at >= since && at <= until))
}
