/**
 * Adds up entries in the database, by one statement for the rows and their sum. Days and months are added here, of
 * quarters of an hour: no zone begins its days at another time.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { UsageReport, UsageRow, UsageSum, UsageTokens } from "../../contract/Usage.ts"
import { countIn, textIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import type { Conditions, Query } from "./usageQuery.ts"
import { localDate } from "./zones.ts"

const quarterMs = 900_000
const columns = { model: "model", cli: "cli", session: "session_id", project: "project", user: "user_name" } as const

/** All of them: `and` needs at least one. */
export const where = ({ sql }: OpenStore, conditions: Conditions): Fragment => {
  const { since, until, cli, model, sessionId, runId, project, user } = conditions
  const parts = [
    sql`1 = 1`,
    ...(since === undefined ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
    ...Object.entries({ cli, model, session_id: sessionId, run_id: runId, project, user_name: user }).flatMap(
      ([column, value]) => (value === undefined ? [] : [sql`${sql(column)} = ${value}`])
    )
  ]
  return sql.and(parts)
}

/** A sum can have more digits than a number of JavaScript, and is read as text. */
const sums = ({ sql }: OpenStore) =>
  sql.literal(`
  cast(coalesce(sum(micros), 0) as text) as micros,
  cast(coalesce(sum(case when source = 'estimate' then micros end), 0) as text) as estimated,
  cast(coalesce(sum(input), 0) as text) as input,
  cast(coalesce(sum(output), 0) as text) as output,
  cast(coalesce(sum(cache_read), 0) as text) as cache_read,
  cast(coalesce(sum(cache_write), 0) as text) as cache_write,
  count(distinct run_id || '/' || coalesce(turn_id, '')) as runs,
  count(distinct case when micros is null then run_id || '/' || coalesce(turn_id, '') end) as unpriced_runs,
  cast(coalesce(sum(case when micros is null then
    coalesce(input, 0) + coalesce(output, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0) end), 0) as text
  ) as unpriced_tokens`)

const tokensOf = (input: number, output: number, cacheRead: number, cacheWrite: number): UsageTokens => {
  const total = input + output + cacheRead + cacheWrite
  return { input, output, cacheRead, cacheWrite, total }
}

const sumOf = (row: object): UsageSum => {
  const count = (name: string) => countIn(row, name) ?? 0
  const micros = count("micros")
  return {
    micros,
    costUsd: micros / 1e6,
    estimated: count("estimated"),
    tokens: tokensOf(count("input"), count("output"), count("cache_read"), count("cache_write")),
    runs: count("runs"),
    unpriced: { runs: count("unpriced_runs"), tokens: count("unpriced_tokens") }
  }
}

const added = (a: UsageSum, b: UsageSum): UsageSum => ({
  micros: a.micros + b.micros,
  costUsd: (a.micros + b.micros) / 1e6,
  estimated: a.estimated + b.estimated,
  tokens: {
    input: a.tokens.input + b.tokens.input,
    output: a.tokens.output + b.tokens.output,
    cacheRead: a.tokens.cacheRead + b.tokens.cacheRead,
    cacheWrite: a.tokens.cacheWrite + b.tokens.cacheWrite,
    total: a.tokens.total + b.tokens.total
  },
  runs: a.runs + b.runs,
  unpriced: { runs: a.unpriced.runs + b.unpriced.runs, tokens: a.unpriced.tokens + b.unpriced.tokens }
})

const dateText = (at: number, zone: string, isMonth: boolean) => {
  const { year, month, day } = localDate(at, zone)
  const texts = [String(year).padStart(4, "0"), ...[month, day].map((part) => String(part).padStart(2, "0"))]
  return (isMonth ? texts.slice(0, 2) : texts).join("-")
}

/** By the date that the zone's clock shows. The entries of a run are of one moment: no run is in two quarters. */
const byDate = (rows: ReadonlyArray<object>, zone: string, isMonth: boolean): ReadonlyArray<UsageRow> => {
  const dates = new Map<string, UsageSum>()
  for (const row of rows) {
    const key = dateText(countIn(row, "name") ?? 0, zone, isMonth)
    const before = dates.get(key)
    dates.set(key, before === undefined ? sumOf(row) : added(before, sumOf(row)))
  }
  return [...dates].map(([key, sum]) => ({ key, ...sum })).sort((a, b) => (a.key < b.key ? -1 : 1))
}

const byName = (rows: ReadonlyArray<object>): ReadonlyArray<UsageRow> =>
  rows
    .map((row): UsageRow => {
      const key = textIn(row, "name")
      return { ...(key === undefined ? {} : { key }), ...sumOf(row) }
    })
    .sort((a, b) => b.micros - a.micros || b.tokens.total - a.tokens.total || ((a.key ?? "") < (b.key ?? "") ? -1 : 1))

export const usageReport = (store: OpenStore, query: Query) => {
  const { sql } = store
  const { by, zone } = query
  const isDate = by === "day" || by === "month"
  const name = isDate ? sql.literal(`cast(at - at % ${quarterMs} as text)`) : sql`${sql(columns[by])}`
  const from = sql`from usage_entries where ${where(store, query)}`
  const statement = sql<object>`select 'row' as part, ${name} as name, ${sums(store)} ${from} group by 2
    union all select 'total' as part, null as name, ${sums(store)} ${from}`
  return store.read(
    Effect.map(statement, (found): UsageReport => {
      const isTotal = (row: object) => textIn(row, "part") === "total"
      const rows = found.filter((row) => !isTotal(row))
      return {
        by,
        zone,
        rows: isDate ? byDate(rows, zone, by === "month") : byName(rows),
        total: sumOf(found.find(isTotal) ?? {})
      }
    })
  )
}
