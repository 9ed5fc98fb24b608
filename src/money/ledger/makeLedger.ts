/** A ledger over an open store: what it answers, and the gate and the observer that write it. */
import { Clock, Effect, Result, Stream } from "effect"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { Budget, BudgetState } from "../../contract/Budget.ts"
import type { LedgerOptions } from "../../contract/LedgerOptions.ts"
import { StoreError } from "../../contract/StoreError.ts"
import type { UsageEntry, UsageFilter, UsageQuery, UsageReport } from "../../contract/Usage.ts"
import { makeNameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { makePricing } from "../prices/makePricing.ts"
import type { Pricing } from "../prices/pricing.ts"
import { type BudgetOptions, checkBudgets } from "./budgets/definition.ts"
import { makeMoney } from "./budgets/makeMoney.ts"
import { readStates } from "./budgets/states.ts"
import { removeRuns } from "./budgets/windowRows.ts"
import { checkOptions } from "./checkOptions.ts"
import { makeLedgerGate } from "./ledgerGate.ts"
import { closeLost } from "./lost.ts"
import type { PaysByApiKey } from "./processes.ts"
import { usageReport } from "./report.ts"
import { postSpilled } from "./spill.ts"
import { usageEntries } from "./usageEntries.ts"
import { checkFilter, checkQuery } from "./usageQuery.ts"

/** What a ledger answers. */
export interface LedgerReports {
  readonly usage: (query?: UsageQuery) => Effect.Effect<UsageReport, StoreError>
  readonly entries: (filter?: UsageFilter) => Stream.Stream<UsageEntry, StoreError>
}

/** How budgets stand, of whoever names them. */
export interface BudgetReports {
  readonly budgets: (
    budgets: ReadonlyArray<Budget>,
    options?: { readonly zone?: string | undefined }
  ) => Effect.Effect<ReadonlyArray<BudgetState>, StoreError>
}

const failing = <A>(checked: Result.Result<A, InvalidParams>): Effect.Effect<A, StoreError> =>
  Effect.fromResult(Result.mapError(checked, (reason) => new StoreError({ reason })))

/** `before`: what is to be written first. */
const reportsOf = (store: OpenStore, zone: string | undefined, before: Effect.Effect<unknown>): LedgerReports => ({
  usage: (given) =>
    Effect.flatMap(failing(checkQuery(given, zone)), (query) => Effect.andThen(before, usageReport(store, query))),
  entries: (given) =>
    Stream.unwrap(
      Effect.flatMap(failing(checkFilter(given, zone)), (conditions) =>
        Effect.as(before, usageEntries(store, conditions))
      )
    )
})

const statesOf = (store: OpenStore, options: BudgetOptions, before: Effect.Effect<unknown>) =>
  Effect.flatMap(Effect.andThen(before, Clock.currentTimeMillis), (now) => readStates(store, options, now))

/** What could not be written, and what the dead have left. */
const catchingUp = (store: OpenStore, pricing: Pricing) =>
  Effect.gen(function* () {
    const locks = yield* makeNameLocks(store, "run")
    yield* postSpilled(store)
    yield* closeLost(store, locks, pricing)
    yield* Effect.ignore(store.transact(removeRuns(store)))
  })

/** Without agents: for reports alone. */
export const makeReports = (store: OpenStore): LedgerReports & BudgetReports => {
  const caughtUp = catchingUp(store, makePricing())
  const budgets: BudgetReports["budgets"] = (given, { zone } = {}) =>
    Effect.flatMap(failing(checkBudgets({ budgets: given, zone })), (options) => statesOf(store, options, caughtUp))
  return { ...reportsOf(store, undefined, caughtUp), budgets }
}

export const makeLedger = Effect.fnUntraced(function* (
  store: OpenStore,
  options: LedgerOptions,
  paysByApiKey: PaysByApiKey
) {
  yield* failing(checkOptions(options))
  const { zone, account = {}, prices } = options
  const budgets = yield* failing(checkBudgets(options))
  const pricing = makePricing(prices)
  const locks = yield* makeNameLocks(store, "run")
  const caughtUp = catchingUp(store, pricing)
  yield* Effect.forkScoped(caughtUp)
  const money = makeMoney(store, budgets)
  const seams = makeLedgerGate({ store, locks, money, pricing, account, paysByApiKey })
  const reports = reportsOf(store, zone, caughtUp)
  return { ...seams, reports, budgets: statesOf(store, budgets, caughtUp) }
})
