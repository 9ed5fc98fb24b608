/** The entries of the ledger, the oldest first, page by page. */
import { Effect, Option, Stream } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UsageEntry } from "../../contract/Usage.ts"
import { countIn, present, textIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { where } from "./report.ts"
import { type Entry, entryOfRow } from "./rows.ts"
import type { Conditions } from "./usageQuery.ts"

const pageSize = 500

const shown = (entry: Entry): UsageEntry => {
  const text = (value: string | null) => value ?? undefined
  const count = (value: number | null) => value ?? undefined
  return {
    id: entry.id,
    at: entry.at,
    runId: entry.runId,
    cli: entry.cli,
    home: entry.home,
    source: entry.source,
    billing: entry.billing,
    ...present({
      turnId: text(entry.turnId),
      sessionId: text(entry.sessionId),
      model: text(entry.model),
      project: text(entry.project),
      user: text(entry.user),
      inputTokens: count(entry.input),
      outputTokens: count(entry.output),
      cacheReadTokens: count(entry.cacheRead),
      cacheWriteTokens: count(entry.cacheWrite),
      micros: count(entry.micros),
      costUsd: entry.micros === null ? undefined : entry.micros / 1e6,
      priceVersion: text(entry.priceVersion),
      turns: count(entry.turns)
    })
  }
}

const readable = (row: object) => {
  const entry = entryOfRow(row)
  return entry === undefined ? [] : [shown(entry)]
}

interface Place {
  readonly at: number
  readonly id: string
}

/** What is added meanwhile is among them, unless its time is before what was read already. */
export const usageEntries = (store: OpenStore, conditions: Conditions): Stream.Stream<UsageEntry, StoreError> => {
  const { sql, read } = store
  const page = (after: Place | undefined) => {
    const further =
      after === undefined ? sql`1 = 1` : sql`(at > ${after.at} or (at = ${after.at} and entry_id > ${after.id}))`
    return read(
      sql<object>`select * from usage_entries where ${where(store, conditions)} and ${further}
        order by at, entry_id limit ${pageSize}`
    )
  }
  return Stream.paginate(undefined as Place | undefined, (after) =>
    Effect.map(page(after), (rows) => {
      const last = rows.at(-1) ?? {}
      const [at, id] = [countIn(last, "at"), textIn(last, "entry_id")]
      const isLast = rows.length < pageSize || at === undefined || id === undefined
      return [rows.flatMap(readable), isLast ? Option.none() : Option.some({ at, id })] as const
    })
  )
}
