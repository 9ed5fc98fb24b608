/**
 * The rows of `usage_open` and `usage_entries`: runs and turns whose entries are still to come, and the entries. A turn's
 * row names the run of its live session, which holds the lock.
 */
import { Effect, Schema } from "effect"
import type { UsageBilling } from "../../contract/Usage.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"

const sources = ["cli", "table", "user", "estimate", "none"] as const
const billings = ["api", "subscription", "unknown"] as const
const kinds = ["run", "session", "turn"] as const

/** A run, a live session or one of its turns, while it lasts. */
export interface OpenRun {
  /** Id of the run, session or turn. */
  readonly id: string
  readonly kind: (typeof kinds)[number]
  /** The run or the live session, whose process it is: the name of its lock. */
  readonly runId: string
  /** The CLI's own id, as soon as it is known. */
  readonly sessionId: string | undefined
  readonly cli: string
  readonly home: string
  readonly model: string | undefined
  readonly project: string | undefined
  readonly user: string | undefined
  readonly billing: UsageBilling
  /** In ms since 1970. */
  readonly started: number
}

/** As `countOf` of `entries.ts` has them. */
const Count = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })))

/** An entry, also as JSON in a file: null is unknown. */
export const Entry = Schema.Struct({
  id: Schema.String,
  at: Schema.Int,
  runId: Schema.String,
  turnId: Schema.NullOr(Schema.String),
  sessionId: Schema.NullOr(Schema.String),
  cli: Schema.String,
  home: Schema.String,
  model: Schema.NullOr(Schema.String),
  project: Schema.NullOr(Schema.String),
  user: Schema.NullOr(Schema.String),
  input: Count,
  output: Count,
  cacheRead: Count,
  cacheWrite: Count,
  micros: Count,
  /** Micros that budgets may count where `micros` is unknown. */
  assumed: Count,
  source: Schema.Literals(sources),
  priceVersion: Schema.NullOr(Schema.String),
  billing: Schema.Literals(billings),
  /** Turns of the run, on its first entry. */
  turns: Count
})
export type Entry = typeof Entry.Type

/** Adds it; false if it was there. */
export const insertEntry = ({ sql }: OpenStore, entry: Entry) => {
  const row = {
    entry_id: entry.id,
    at: entry.at,
    run_id: entry.runId,
    turn_id: entry.turnId,
    session_id: entry.sessionId,
    cli: entry.cli,
    home: entry.home,
    model: entry.model,
    project: entry.project,
    user_name: entry.user,
    input: entry.input,
    output: entry.output,
    cache_read: entry.cacheRead,
    cache_write: entry.cacheWrite,
    micros: entry.micros,
    assumed: entry.assumed,
    source: entry.source,
    price_version: entry.priceVersion,
    billing: entry.billing,
    turns: entry.turns
  }
  const added = sql`insert into usage_entries ${sql.insert(row)} on conflict (entry_id) do nothing returning entry_id`
  return Effect.map(added, (rows) => rows.length > 0)
}

/** Undefined for a row that this version cannot read. */
export const entryOfRow = (row: object): Entry | undefined => {
  const [id, runId, cli, home] = ["entry_id", "run_id", "cli", "home"].map((name) => textIn(row, name))
  const [at, source, billing] = [countIn(row, "at"), wordIn(row, "source", sources), wordIn(row, "billing", billings)]
  if (id === undefined || runId === undefined || cli === undefined || home === undefined) return undefined
  if (at === undefined || source === undefined || billing === undefined) return undefined
  const text = (name: string) => textIn(row, name) ?? null
  const count = (name: string) => countIn(row, name) ?? null
  return {
    id,
    at,
    runId,
    cli,
    home,
    source,
    billing,
    turnId: text("turn_id"),
    sessionId: text("session_id"),
    model: text("model"),
    project: text("project"),
    user: text("user_name"),
    priceVersion: text("price_version"),
    input: count("input"),
    output: count("output"),
    cacheRead: count("cache_read"),
    cacheWrite: count("cache_write"),
    micros: count("micros"),
    assumed: count("assumed"),
    turns: count("turns")
  }
}

export const insertOpen = ({ sql }: OpenStore, run: OpenRun, assumed: number) => {
  const row = {
    id: run.id,
    kind: run.kind,
    run_id: run.runId,
    session_id: run.sessionId ?? null,
    cli: run.cli,
    home: run.home,
    model: run.model ?? null,
    project: run.project ?? null,
    user_name: run.user ?? null,
    billing: run.billing,
    started: run.started,
    updated: run.started,
    assumed
  }
  return sql`insert into usage_open ${sql.insert(row)}`
}

/** Called before its entries are written, or without entries. Returns false if it was already closed. */
export const deleteOpen = ({ sql }: OpenStore, id: string) =>
  Effect.map(sql`delete from usage_open where id = ${id} returning id`, (rows) => rows.length > 0)

/** The session of a process became known. */
export const nameSession = ({ sql }: OpenStore, runId: string, sessionId: string) =>
  sql`update usage_open set session_id = ${sessionId} where run_id = ${runId}`

/** Usage so far. */
export type Sums = Pick<Entry, "model" | "input" | "output" | "cacheRead" | "cacheWrite" | "micros">

export const updateOpen = ({ sql }: OpenStore, id: string, sums: Sums, now: number) =>
  sql`update usage_open set model = coalesce(${sums.model}, model), input = ${sums.input}, output = ${sums.output},
    cache_read = ${sums.cacheRead}, cache_write = ${sums.cacheWrite}, micros = ${sums.micros}, updated = ${now} where id = ${id}`

export interface OpenRow {
  readonly run: OpenRun
  readonly assumed: number | null
  /** When it was last known to live, in ms since 1970. */
  readonly updated: number
  /** As it was last. */
  readonly sums: Sums
}

/** Undefined for a row that this version cannot read. */
const openOfRow = (row: object): OpenRow | undefined => {
  const [id, runId, cli, home] = ["id", "run_id", "cli", "home"].map((name) => textIn(row, name))
  const [kind, started] = [wordIn(row, "kind", kinds), countIn(row, "started")]
  if (id === undefined || runId === undefined || cli === undefined || home === undefined) return undefined
  if (kind === undefined || started === undefined) return undefined
  const count = (name: string) => countIn(row, name) ?? null
  const model = textIn(row, "model")
  return {
    run: {
      id,
      kind,
      runId,
      cli,
      home,
      started,
      model,
      sessionId: textIn(row, "session_id"),
      project: textIn(row, "project"),
      user: textIn(row, "user_name"),
      billing: wordIn(row, "billing", billings) ?? "unknown"
    },
    assumed: count("assumed"),
    updated: countIn(row, "updated") ?? started,
    sums: {
      model: model ?? null,
      input: count("input"),
      output: count("output"),
      cacheRead: count("cache_read"),
      cacheWrite: count("cache_write"),
      micros: count("micros")
    }
  }
}

/** Open rows of this home, oldest first. */
export const openOfHome = ({ sql, read, home }: OpenStore) =>
  read(
    Effect.map(sql<object>`select * from usage_open where home = ${home} order by started limit 10000`, (rows) =>
      rows.flatMap((row) => openOfRow(row) ?? [])
    )
  )
