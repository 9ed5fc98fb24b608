/** The rows of `budget_windows` and `reservations`. A new window starts with the sum of earlier entries. */
import { Effect } from "effect"
import { untraced } from "../../../contract/untraced.ts"
import { countIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import type { Entry } from "../rows.ts"
import { type Definition, storedUnit } from "./definition.ts"
import { subjectOf, type Window } from "./windows.ts"

/** `,api,` in the list of a window; a window without a list counts all. */
const listed = (billing: Entry["billing"]) => `%,${billing},%`

export const addToWindows = ({ sql }: OpenStore, entry: Entry) => {
  const tokens = (entry.input ?? 0) + (entry.output ?? 0) + (entry.cacheRead ?? 0) + (entry.cacheWrite ?? 0)
  const [run, session, project, user] = (["run", "session", "project", "user"] as const).map(
    (per) => subjectOf({ per }, entry) ?? null
  )
  return sql`update budget_windows set spent = spent + case unit
      when 'tokens' then ${tokens}
      when 'turns' then ${entry.turns ?? 0}
      else case when counts_assumed = 1 then ${entry.micros ?? entry.assumed ?? 0} else ${entry.micros ?? 0} end
    end
    where starts <= ${entry.at} and (ends is null or ends > ${entry.at})
      and (billing is null or billing like ${listed(entry.billing)})
      and (per = 'all'
        or (per = 'run' and subject = ${run})
        or (per = 'session' and subject = ${session})
        or (per = 'project' and subject = ${project})
        or (per = 'user' and subject = ${user}))`
}

/** Frees the reservations of a run or turn. */
export const closeReservations = ({ sql }: OpenStore, id: string) =>
  Effect.gen(function* () {
    yield* sql`update budget_windows set reserved = reserved - (
        select coalesce(sum(amount), 0) from reservations r where r.window_key = budget_windows.window_key and r.id = ${id})
      where window_key in (select window_key from reservations where id = ${id})`
    yield* sql`delete from reservations where id = ${id}`
  })

/** As it stands. */
export interface Sums {
  readonly spent: number
  readonly reserved: number
}

const sumsOfRow = (row: object): Sums => ({
  spent: countIn(row, "spent") ?? 0,
  reserved: countIn(row, "reserved") ?? 0
})

/** The same as `addToWindows` adds for an entry. */
const amountIn = ({ sql }: OpenStore, { unit, countsReserve }: Definition) => {
  if (unit === "tokens") {
    return sql`coalesce(input, 0) + coalesce(output, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0)`
  }
  if (unit === "turns") return sql`coalesce(turns, 0)`
  return countsReserve ? sql`coalesce(micros, assumed, 0)` : sql`coalesce(micros, 0)`
}

const isOfSubject = ({ sql }: OpenStore, { definition: { per }, counted }: Window) => {
  if (per === "all") return sql`1 = 1`
  if (per === "run") return sql`run_id = ${counted.runId}`
  if (per === "session") return sql`cli = ${counted.cli} and session_id = ${counted.sessionId ?? null}`
  return per === "project" ? sql`project = ${counted.project ?? null}` : sql`user_name = ${counted.user ?? null}`
}

/** The sum of the stored entries. */
export const sumOfEntries = (store: OpenStore, window: Window) => {
  const { sql } = store
  const { definition, starts, ends } = window
  const before = ends === undefined ? sql`1 = 1` : sql`at < ${ends}`
  const isPaid = definition.billing === undefined ? sql`1 = 1` : sql.in("billing", definition.billing)
  const sum = sql<object>`select coalesce(sum(${amountIn(store, definition)}), 0) as spent from usage_entries
    where at >= ${starts} and ${before} and ${isPaid} and ${isOfSubject(store, window)}`
  return Effect.map(sum, ([row = {}]) => countIn(row, "spent") ?? 0)
}

/** Returns undefined if it was not used yet. */
export const readWindow = ({ sql }: OpenStore, { key }: Window) =>
  Effect.map(sql<object>`select spent, reserved from budget_windows where window_key = ${key}`, ([row]) =>
    row === undefined ? undefined : sumsOfRow(row)
  )

const insertWindow = ({ sql }: OpenStore, window: Window, spent: number) => {
  const { definition, key, subject, starts, ends } = window
  const row = {
    window_key: key,
    budget: definition.name,
    per: definition.per,
    subject,
    unit: storedUnit(definition.unit),
    counts_assumed: definition.countsReserve ? 1 : 0,
    billing: definition.billing === undefined ? null : `,${definition.billing.join(",")},`,
    starts,
    ends: ends ?? null,
    spent,
    reserved: 0
  }
  return sql`insert into budget_windows ${sql.insert(row)} on conflict (window_key) do nothing`
}

/** Long past windows are removed; a late entry needs no window. */
const keptMs = 62 * 86_400_000

const removeOld = ({ sql }: OpenStore, now: number) =>
  sql`delete from budget_windows where ends < ${now - keptMs} and reserved = 0`

/** In the transaction that uses it. */
export const openWindow = Effect.fn(...untraced("WindowRows.openWindow"))(function* (
  store: OpenStore,
  window: Window,
  now: number
) {
  const known = yield* readWindow(store, window)
  if (known !== undefined) return known
  yield* removeOld(store, now)
  const spent = yield* sumOfEntries(store, window)
  yield* insertWindow(store, window, spent)
  return { spent, reserved: 0 }
})

/** `id`: the run or the turn. */
export const insertReservation = ({ sql, home }: OpenStore, id: string, { key }: Window, amount: number, now: number) =>
  Effect.andThen(
    sql`insert into reservations ${sql.insert({ id, window_key: key, amount, home, created: now })}`,
    sql`update budget_windows set reserved = reserved + ${amount} where window_key = ${key}`
  )

/** Returns undefined if it no longer exists. */
export const readReservation = ({ sql }: OpenStore, id: string, { key }: Window) =>
  Effect.map(sql<object>`select amount from reservations where id = ${id} and window_key = ${key}`, ([row = {}]) =>
    countIn(row, "amount")
  )

/** By `added`, which may be less than 0. */
export const changeReservation = ({ sql }: OpenStore, id: string, { key }: Window, added: number) =>
  Effect.andThen(
    sql`update reservations set amount = amount + ${added} where id = ${id} and window_key = ${key}`,
    sql`update budget_windows set reserved = reserved + ${added} where window_key = ${key}`
  )

/** In one window alone. */
export const deleteReservation = Effect.fn(...untraced("WindowRows.deleteReservation"))(function* (
  store: OpenStore,
  id: string,
  window: Window
) {
  const { sql } = store
  const amount = yield* readReservation(store, id, window)
  if (amount === undefined) return
  yield* sql`delete from reservations where id = ${id} and window_key = ${window.key}`
  yield* sql`update budget_windows set reserved = reserved - ${amount} where window_key = ${window.key}`
})

/** Windows of runs are useless after the run. */
export const removeRuns = ({ sql }: OpenStore) =>
  sql`delete from budget_windows where per = 'run' and reserved = 0
    and not exists (select 1 from usage_open where usage_open.run_id = budget_windows.subject)`
