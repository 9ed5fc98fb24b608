/** The budgets of an agent at work: what its runs reserve, raise and announce. */
import { Clock, Effect } from "effect"
import { BudgetExceeded, type FailureReason } from "../../../contract/AgentError.ts"
import { hostWide } from "../../../contract/acrossCopies.ts"
import type { BudgetLevel, BudgetUnit } from "../../../contract/Budget.ts"
import type { GateStart } from "../../../contract/Start.ts"
import { untraced } from "../../../contract/untraced.ts"
import { countIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { type Money, noBudgets, type Reservation, type Spent } from "../money.ts"
import { isOpen, type OpenRun } from "../rows.ts"
import { type BudgetOptions, type Definition, fromStored, toStored } from "./definition.ts"
import { levelOf, levels, noticeOf } from "./levels.ts"
import {
  changeReservation,
  deleteReservation,
  insertReservation,
  openWindow,
  readReservation,
  readWindow,
  type Sums
} from "./windowRows.ts"
import { type Window, windowOf } from "./windows.ts"

interface Held {
  readonly window: Window
  /** The first reservation: it is raised by as much at once. */
  readonly step: number
  readonly amount: number
  /** Spending of others when it was last read. */
  readonly spent: number
}

/** Room below the limit, for this run: its own reservation does not count as taken. */
const roomOf = ({ window }: Pick<Held, "window">, sums: Sums, own: number): number =>
  window.definition.limit - sums.spent - (sums.reserved - own)

/** Nothing of this run is in the sums but its own reservation. */
const exceeded = (window: Window, sums: Sums, own: number, request: number): BudgetExceeded => {
  const { definition, ends } = window
  const { name, unit, limit } = definition
  const amount = (stored: number) => fromStored(unit, stored)
  return new BudgetExceeded({
    budget: name,
    unit,
    limit: amount(limit),
    spent: amount(sums.spent),
    reserved: amount(Math.max(0, sums.reserved - own)),
    asked: amount(request),
    ...(ends === undefined || request > limit ? {} : { freeAt: ends })
  })
}

/** Returns undefined if it is unknown. */
const costIn = ({ window }: Pick<Held, "window">, { micros, usage, turns }: Spent): number | undefined => {
  const { unit } = window.definition
  if (unit === "usd") return micros
  if (unit === "turns") return turns
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
}

/** Windows to the place of their highest level; those that were not used for long are forgotten. */
const announcedLevels = () => hostWide("budget-levels@1", () => new Map<string, number>())

const mostLevels = 2_000

/** True once for each level; a level that is passed over is not told later. */
const isNews = (windowKey: string, level: BudgetLevel): boolean => {
  const map = announcedLevels()
  const [before = -1, place] = [map.get(windowKey), levels.indexOf(level)]
  if (place <= before) return false
  map.delete(windowKey)
  map.set(windowKey, place)
  const [oldest] = map.keys()
  if (map.size > mostLevels && oldest !== undefined) map.delete(oldest)
  return true
}

/** Runs in a transaction. Returns `error` if the spending exceeds the room. */
const raiseIn = Effect.fn(...untraced("MakeMoney.raiseIn"))(function* (
  store: OpenStore,
  id: string,
  held: Held,
  cost: number
) {
  const { window } = held
  const [sums, own] = [yield* readWindow(store, window), yield* readReservation(store, id, window)]
  // Closed in the meantime: nothing is to be raised.
  if (sums === undefined || own === undefined) return { held, error: undefined }
  const room = roomOf(held, sums, own)
  const amount = Math.max(own, Math.min(cost + held.step, room))
  if (amount !== own) yield* changeReservation(store, id, window, amount - own)
  const error = cost > room ? exceeded(window, sums, own, cost) : undefined
  return { held: { ...held, amount, spent: sums.spent }, error }
})

/** Without the store: what is certain, since what others spend is only added to what was known. */
const exceededForCertain = ({ window, spent, amount }: Held, cost: number) =>
  spent + cost > window.definition.limit ? exceeded(window, { spent, reserved: amount }, amount, cost) : undefined

/** As long as too few runs are known. */
const usual: { readonly [Unit in BudgetUnit]: number } = { usd: toStored("usd", 0.5), tokens: 100_000, turns: 10 }
const [most, fewest] = [20, 5]
/** The entries that are looked at: the newest, of whatever model. */
const newest = 500

/** The amount that nine of ten do not exceed; pure. */
const expectedOf = (amounts: ReadonlyArray<number>, unit: BudgetUnit): number => {
  if (amounts.length < fewest) return usual[unit]
  const inOrder = amounts.toSorted((a, b) => a - b)
  return Math.max(1, inOrder[Math.ceil(inOrder.length * 0.9) - 1] ?? usual[unit])
}

/** Without a model, of all runs of its CLI. */
const readExpected = ({ sql }: OpenStore, unit: BudgetUnit, cli: string, model: string | undefined) => {
  const amount = {
    usd: sql`micros`,
    tokens: sql`coalesce(input, 0) + coalesce(output, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0)`,
    turns: sql`turns`
  }[unit]
  const ofModel = model === undefined ? sql`1 = 1` : sql`max(case when model = ${model} then 1 else 0 end) = 1`
  const rows = sql<object>`select sum(${amount}) as amount from
      (select * from usage_entries order by at desc, entry_id desc limit ${newest}) as newest
    where cli = ${cli} group by run_id, turn_id having ${ofModel} and sum(${amount}) > 0
    order by max(at) desc limit ${most}`
  return Effect.map(rows, (found) => {
    const amounts = found.flatMap((row) => countIn(row, "amount") ?? [])
    return expectedOf(amounts, unit)
  })
}

interface Asking {
  readonly store: OpenStore
  readonly run: OpenRun
  /** The caller's option. */
  readonly maxBudgetUsd: number | undefined
  readonly now: number
}

/** The caller's amount, or an estimate from earlier runs. The run of a budget per run has no others beside it. */
const askedFor = Effect.fn(...untraced("MakeMoney.askedFor"))(function* (
  asking: Asking,
  definition: Definition,
  { spent }: Sums
) {
  const { store, run, maxBudgetUsd } = asking
  const { unit, limit, per } = definition
  const left = per === "run" && spent < limit ? limit - spent : Number.POSITIVE_INFINITY
  const named = unit === "usd" && maxBudgetUsd !== undefined ? toStored(unit, maxBudgetUsd) : undefined
  const requested = definition.reserve ?? named
  if (requested !== undefined) return Math.min(requested, left)
  return Math.min(yield* readExpected(store, unit, run.cli, run.model), limit, left)
})

/** Fails with `BudgetExceeded` if the amount does not fit. */
const reserveIn = Effect.fn(...untraced("MakeMoney.reserveIn"))(function* (asking: Asking, window: Window) {
  const { store, run, now } = asking
  const sums = yield* openWindow(store, window, now)
  const requested = yield* askedFor(asking, window.definition, sums)
  if (sums.spent + sums.reserved + requested > window.definition.limit)
    return yield* exceeded(window, sums, 0, requested)
  yield* insertReservation(store, run.id, window, requested, now)
  const held: Held = { window, step: requested, amount: requested, spent: sums.spent }
  return { held, room: window.definition.limit - sums.spent - sums.reserved }
})

type Notify = GateStart["notice"]

/** Once in this process. */
const announce = (notify: Notify, { definition, key, ends }: Window, spent: number): void => {
  const level = levelOf(spent, definition)
  if (level !== undefined && isNews(key, level)) notify(noticeOf(definition, level, spent, ends))
}

/** Less than anybody waits for the end of a run. */
const patience = "500 millis"

/** The room of the tightest budget in dollars that stops runs. */
const tightest = (reserved: ReadonlyArray<{ readonly held: Held; readonly room: number }>): number | undefined => {
  const rooms = reserved.flatMap(({ held: { window }, room }) =>
    window.definition.stops && window.definition.unit === "usd" ? [room] : []
  )
  return rooms.length === 0 ? undefined : fromStored("usd", Math.min(...rooms))
}

export const makeMoney = (store: OpenStore, { budgets, zone }: BudgetOptions): Money => {
  if (budgets.length === 0) return noBudgets

  const windowsOf = (definitions: ReadonlyArray<Definition>, run: OpenRun, at: number): ReadonlyArray<Window> =>
    definitions.flatMap((definition) => windowOf(definition, run, zone, at) ?? [])

  /** Since the session is now known, or is another one: the budgets per session count in its windows. */
  const moveTo = (asking: Asking, held: ReadonlyArray<Held>) =>
    Effect.gen(function* () {
      const { run, now } = asking
      // A short run may have ended while the store was busy.
      if (!(yield* isOpen(store, run.id))) return held
      const isOfSession = ({ per }: Definition) => per === "session"
      const others = held.filter(({ window }) => !isOfSession(window.definition))
      for (const { window } of held) {
        if (isOfSession(window.definition)) yield* deleteReservation(store, run.id, window)
      }
      const moved = yield* Effect.forEach(windowsOf(budgets.filter(isOfSession), run, now), (window) =>
        Effect.map(reserveIn(asking, window), ({ held: one }) => one)
      )
      return [...others, ...moved]
    })

  const reserve: Money["reserve"] = (run, maxBudgetUsd, notify) =>
    Effect.gen(function* () {
      const asking: Asking = { store, run, maxBudgetUsd, now: run.started }
      const reserved = yield* Effect.forEach(windowsOf(budgets, run, run.started), (window) =>
        reserveIn(asking, window)
      )
      let held: ReadonlyArray<Held> = reserved.map((one) => one.held)
      for (const { window, spent } of held) announce(notify, window, spent)

      const raiseAll = (over: ReadonlyArray<readonly [Held, number]>) =>
        store.transact(Effect.forEach(over, ([one, cost]) => raiseIn(store, run.id, one, cost)))

      /** The store is gone: the run goes on, unless it has certainly spent too much. */
      const withoutStore = (over: ReadonlyArray<readonly [Held, number]>) =>
        over.map(([one, cost]) => ({ held: one, error: exceededForCertain(one, cost) }))

      const raise = (spent: Spent): Effect.Effect<void, FailureReason> =>
        Effect.gen(function* () {
          const costs = held.flatMap((one) => {
            const cost = costIn(one, spent)
            return cost === undefined ? [] : [[one, cost] as const]
          })
          const over = costs.filter(([{ amount }, cost]) => cost > amount)
          const raised =
            over.length === 0 ? [] : yield* Effect.catch(raiseAll(over), () => Effect.succeed(withoutStore(over)))
          held = held.map((one) => raised.find((other) => other.held.window.key === one.window.key)?.held ?? one)
          for (const [{ window }, cost] of costs) {
            const known = held.find((one) => one.window.key === window.key)
            announce(notify, window, (known?.spent ?? 0) + cost)
          }
          const stopped = raised.find(({ held: one, error }) => error !== undefined && one.window.definition.stops)
          if (stopped?.error !== undefined) return yield* stopped.error
        })

      const opened = (sessionId: string): Effect.Effect<void, FailureReason> =>
        Effect.gen(function* () {
          if (sessionId === run.sessionId || !budgets.some(({ per }) => per === "session")) return
          const now = yield* Clock.currentTimeMillis
          held = yield* store
            .transact(moveTo({ ...asking, run: { ...run, sessionId }, now }, held))
            .pipe(
              Effect.catchTag("StoreError", (error) =>
                Effect.as(Effect.logWarning(`the budget of a session does not count this run: ${error.message}`), held)
              )
            )
        })

      /** After its entries have been written: what is spent now is known to the end. */
      const closed = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const sessionId = held.find(({ window }) => window.definition.per === "session")?.window.counted.sessionId
        for (const window of windowsOf(budgets, { ...run, sessionId: sessionId ?? run.sessionId }, now)) {
          const sums = yield* store.read(readWindow(store, window))
          if (sums !== undefined) announce(notify, window, sums.spent)
        }
      }).pipe(Effect.timeoutOption(patience), Effect.ignore)

      const maxUsd = tightest(reserved)
      const counting = held.filter(({ window }) => window.definition.countsReserve)
      const reservation: Reservation = {
        ...(maxUsd === undefined ? {} : { maxBudgetUsd: maxUsd }),
        assumed: Math.max(0, ...counting.map(({ amount }) => amount)),
        opened,
        raise,
        closed
      }
      return reservation
    })

  return { isNeeded: true, reserve }
}
