/** The budgets of an agent at work: what its runs reserve, raise and are told of. */
import { Clock, Effect } from "effect"
import type { FailureReason } from "../../../contract/AgentError.ts"
import type { GateStart } from "../../../contract/Start.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { type Money, noBudgets, type Reservation, type Spent } from "../money.ts"
import type { OpenRun } from "../rows.ts"
import { fromStored } from "./amounts.ts"
import type { BudgetOptions, Definition } from "./definition.ts"
import { costIn, type Held } from "./held.ts"
import { levelOf, noticeOf } from "./levels.ts"
import { exceededForCertain, raiseIn } from "./raise.ts"
import { type Asking, reserveIn } from "./reserve.ts"
import { isNews } from "./told.ts"
import { deleteReservation, readWindow } from "./windowRows.ts"
import { type Window, windowOf } from "./windows.ts"

type Notify = GateStart["notice"]

/** Of a window of which so much is spent, once in this process. */
const tell = (notify: Notify, { definition, key, ends }: Window, spent: number): void => {
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
      for (const { window, spent } of held) tell(notify, window, spent)

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
            tell(notify, window, (known?.spent ?? 0) + cost)
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
          if (sums !== undefined) tell(notify, window, sums.spent)
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
