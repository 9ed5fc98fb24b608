/** The rows of `usage_open`, runs and turns without their entries yet, and `usage_entries`. */
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
  readonly started: number
}

/** As `countOf` of `entries.ts` has them. */
const Count = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })))
const Text = Schema.NullOr(Schema.String)

/** An entry, also as JSON in a file: null is unknown. */
export const Entry = Schema.Struct({
  id: Schema.String,
  at: Schema.Int,
  runId: Schema.String,
  turnId: Text,
  sessionId: Text,
  cli: Schema.String,
  home: Schema.String,
  model: Text,
  project: Text,
  user: Text,
  input: Count,
  output: Count,
  cacheRead: Count,
  cacheWrite: Count,
  micros: Count,
  /** Micros that budgets may count where `micros` is unknown. */
  assumed: Count,
  source: Schema.Literals(sources),
  priceVersion: Text,
  billing: Schema.Literals(billings),
  /** Turns of the run, on its first entry. */
  turns: Count
})
export type Entry = typeof Entry.Type

/** Adds it; false if it was there. */
export const insertEntry = ({ sql }: OpenStore, entry: Entry) => {
  const { id, runId, turnId, sessionId, user, cacheRead, cacheWrite, priceVersion, ...others } = entry
  const row = {
    ...others,
    entry_id: id,
    run_id: runId,
    turn_id: turnId,
    session_id: sessionId,
    user_name: user,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    price_version: priceVersion
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
  const { runId, sessionId = null, model = null, project = null, user = null, ...others } = run
  const names = { run_id: runId, session_id: sessionId, model, project, user_name: user }
  const row = { ...others, ...names, updated: run.started, assumed }
  return sql`insert into usage_open ${sql.insert(row)}`
}

/** Called before its entries are written, or without entries. Returns false if it was already closed. */
export const deleteOpen = ({ sql }: OpenStore, id: string) =>
  Effect.map(sql`delete from usage_open where id = ${id} returning id`, (rows) => rows.length > 0)

/** False once its entries are written: nothing would free what it reserved then. */
export const isOpen = ({ sql }: OpenStore, id: string) =>
  Effect.map(sql`select id from usage_open where id = ${id}`, (rows) => rows.length > 0)

export const nameSession = ({ sql }: OpenStore, runId: string, sessionId: string) =>
  sql`update usage_open set session_id = ${sessionId} where run_id = ${runId}`

export type Sums = Pick<Entry, "model" | "input" | "output" | "cacheRead" | "cacheWrite" | "micros">

export const updateOpen = ({ sql }: OpenStore, id: string, sums: Sums, now: number) =>
  sql`update usage_open set model = coalesce(${sums.model}, model), input = ${sums.input}, output = ${sums.output},
    cache_read = ${sums.cacheRead}, cache_write = ${sums.cacheWrite}, micros = ${sums.micros}, updated = ${now} where id = ${id}`

export interface OpenRow {
  readonly run: OpenRun
  readonly assumed: number | null
  /** When it was last known to live, in ms since 1970. */
  readonly updated: number
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

export const openOfHome = ({ sql, read, home }: OpenStore) =>
  read(
    Effect.map(sql<object>`select * from usage_open where home = ${home} order by started limit 10000`, (rows) =>
      rows.flatMap((row) => openOfRow(row) ?? [])
    )
  )
