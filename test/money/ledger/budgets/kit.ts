/** Runs of a ledger without an engine: what they reserve, spend and post, and the rows that are there afterwards. */
import { Effect, Result } from "effect"
import { assert } from "vitest"
import { StoreUnavailable } from "../../../../src/contract/AgentError.ts"
import type { Budget } from "../../../../src/contract/Budget.ts"
import type { GateNotice } from "../../../../src/contract/Start.ts"
import { StoreError } from "../../../../src/contract/StoreError.ts"
import type { OpenStore } from "../../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../../src/conversations/store/Store.ts"
import { checkBudgets } from "../../../../src/money/ledger/budgets/definition.ts"
import { makeMoney } from "../../../../src/money/ledger/budgets/makeMoney.ts"
import { post } from "../../../../src/money/ledger/post.ts"
import { type Entry, insertOpen, type OpenRun } from "../../../../src/money/ledger/rows.ts"

export const optionsOf = (budgets: ReadonlyArray<Budget>, zone = "UTC") => {
  const checked = checkBudgets({ budgets, zone })
  return Result.isSuccess(checked) ? checked.success : assert.fail(checked.failure.message)
}

export const openRun = (id: string, started: number, facts: Partial<OpenRun> = {}): OpenRun => ({
  id,
  kind: "run",
  runId: id,
  sessionId: undefined,
  cli: "claude",
  home: "here",
  model: "m",
  project: "/work",
  user: undefined,
  billing: "api",
  started,
  ...facts
})

export const entryOfRun = (run: OpenRun, at: number, facts: Partial<Entry> = {}): Entry => ({
  id: `${run.runId}/${run.id}/m`,
  at,
  runId: run.runId,
  turnId: null,
  sessionId: run.sessionId ?? null,
  cli: run.cli,
  home: run.home,
  model: "m",
  project: run.project ?? null,
  user: run.user ?? null,
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  micros: null,
  assumed: null,
  source: "cli",
  priceVersion: null,
  billing: run.billing,
  turns: null,
  ...facts
})

/** The layer's store. */
export const bookkeeping = Effect.fnUntraced(function* (budgets: ReadonlyArray<Budget>, zone?: string) {
  const opened = yield* Store
  const state = { isGone: false }
  const gone = new StoreError({ reason: new StoreUnavailable({ problem: "it is gone" }) })
  const store: OpenStore = {
    ...opened,
    transact: (work) => (state.isGone ? Effect.fail(gone) : opened.transact(work))
  }
  const money = makeMoney(store, optionsOf(budgets, zone))
  const notices: Array<GateNotice> = []
  const begin = (run: OpenRun, maxBudgetUsd?: number) =>
    store.transact(
      Effect.gen(function* () {
        const reservation = yield* money.reserve(run, maxBudgetUsd, (notice) => void notices.push(notice))
        yield* insertOpen(store, run, reservation.assumed)
        return reservation
      })
    )
  const end = (run: OpenRun, entries: ReadonlyArray<Entry>) => post(store, { id: run.id, entries })
  const windows = store.read(
    Effect.map(
      store.sql<{
        readonly budget: string
        readonly subject: string
        readonly spent: number
        readonly reserved: number
      }>`
        select budget, subject, starts, spent, reserved from budget_windows order by budget, subject, starts`,
      (rows) =>
        rows.map(({ budget, subject, spent, reserved }) => ({
          budget,
          subject,
          spent: Number(spent),
          reserved: Number(reserved)
        }))
    )
  )
  return { store, money, begin, end, windows, notices, state }
})
