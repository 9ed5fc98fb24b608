/** A ledger over an open store: what it answers, and the gate and the observer that write it. */
import { Effect, Result, Stream } from "effect"
import type { InvalidParams } from "../contract/AgentError.ts"
import { StoreError } from "../contract/StoreError.ts"
import { makePricing } from "../prices/makePricing.ts"
import type { Pricing } from "../prices/pricing.ts"
import { makeNameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { LedgerOptions } from "../types/LedgerOptions.ts"
import type { UsageEntry, UsageFilter, UsageQuery, UsageReport } from "../types/Usage.ts"
import { checkOptions } from "./checkOptions.ts"
import { makeLedgerGate } from "./ledgerGate.ts"
import { closeLost } from "./lost.ts"
import { type Money, noBudgets } from "./money.ts"
import { usageReport } from "./report.ts"
import { postSpilled } from "./spill.ts"
import { usageEntries } from "./usageEntries.ts"
import { checkFilter, checkQuery } from "./usageQuery.ts"

/** What a ledger answers. */
export interface LedgerReports {
  readonly usage: (query?: UsageQuery) => Effect.Effect<UsageReport, StoreError>
  readonly entries: (filter?: UsageFilter) => Stream.Stream<UsageEntry, StoreError>
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

/** What could not be written, and what the dead have left. */
const catchingUp = (store: OpenStore, pricing: Pricing) =>
  Effect.gen(function* () {
    const locks = yield* makeNameLocks(store, "run")
    yield* postSpilled(store)
    yield* closeLost(store, locks, pricing)
  })

/** Without agents: for reports alone. */
export const makeReports = (store: OpenStore): LedgerReports =>
  reportsOf(store, undefined, catchingUp(store, makePricing()))

export const makeLedger = Effect.fnUntraced(function* (
  store: OpenStore,
  options: LedgerOptions,
  money: Money = noBudgets
) {
  yield* failing(checkOptions(options))
  const { zone, account = {}, prices } = options
  const pricing = makePricing(prices)
  const locks = yield* makeNameLocks(store, "run")
  const caughtUp = catchingUp(store, pricing)
  yield* Effect.forkScoped(caughtUp)
  const seams = makeLedgerGate({ store, locks, money, pricing, account })
  return { ...seams, reports: reportsOf(store, zone, caughtUp) }
})
