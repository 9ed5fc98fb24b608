/** A ledger over an open store: what it answers, and the gate and the observer that write it. */
import { Clock, Effect, Option, Result, Stream } from "effect"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { Budget, BudgetState } from "../../contract/Budget.ts"
import { present } from "../../contract/present.ts"
import { StoreError } from "../../contract/StoreError.ts"
import type { LedgerOptions, UsageEntry, UsageFilter, UsageQuery, UsageReport } from "../../contract/Usage.ts"
import { untraced } from "../../contract/untraced.ts"
import { countIn, textIn } from "../../conversations/store/columns.ts"
import { makeNameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { makePricing, type Pricing } from "../prices/makePricing.ts"
import { type BudgetOptions, checkBudgets, checkOptions } from "./budgets/definition.ts"
import { makeMoney } from "./budgets/makeMoney.ts"
import { readStates } from "./budgets/states.ts"
import { removeRuns } from "./budgets/windowRows.ts"
import { makeLedgerGate } from "./ledgerGate.ts"
import { closeLost } from "./lost.ts"
import { postSpilled } from "./post.ts"
import type { PaysByApiKey } from "./processes.ts"
import { usageReport, where } from "./report.ts"
import { type Entry, entryOfRow } from "./rows.ts"
import { type Conditions, checkFilter, checkQuery } from "./usageQuery.ts"

const pageSize = 500

const entryOf = ({ id, at, runId, cli, home, source, billing, ...entry }: Entry): UsageEntry => ({
  id,
  at,
  runId,
  cli,
  home,
  source,
  billing,
  ...present({
    turnId: entry.turnId ?? undefined,
    sessionId: entry.sessionId ?? undefined,
    model: entry.model ?? undefined,
    project: entry.project ?? undefined,
    user: entry.user ?? undefined,
    inputTokens: entry.input ?? undefined,
    outputTokens: entry.output ?? undefined,
    cacheReadTokens: entry.cacheRead ?? undefined,
    cacheWriteTokens: entry.cacheWrite ?? undefined,
    micros: entry.micros ?? undefined,
    costUsd: entry.micros === null ? undefined : entry.micros / 1e6,
    priceVersion: entry.priceVersion ?? undefined,
    turns: entry.turns ?? undefined
  })
})

const readable = (row: object) => {
  const entry = entryOfRow(row)
  return entry === undefined ? [] : [entryOf(entry)]
}

interface Place {
  readonly at: number
  readonly id: string
}

/** Entries added meanwhile are included, unless their time is before the last page. */
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

export interface LedgerReports {
  readonly usage: (query?: UsageQuery) => Effect.Effect<UsageReport, StoreError>
  readonly entries: (filter?: UsageFilter) => Stream.Stream<UsageEntry, StoreError>
}

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
  usage: (input) =>
    Effect.flatMap(failing(checkQuery(input, zone)), (query) => Effect.andThen(before, usageReport(store, query))),
  entries: (input) =>
    Stream.unwrap(
      Effect.flatMap(failing(checkFilter(input, zone)), (conditions) =>
        Effect.as(before, usageEntries(store, conditions))
      )
    )
})

const statesOf = (store: OpenStore, options: BudgetOptions, before: Effect.Effect<unknown>) =>
  Effect.flatMap(Effect.andThen(before, Clock.currentTimeMillis), (now) => readStates(store, options, now))

/** Writes spilled entries, and closes those of dead hosts. */
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
  const budgets: BudgetReports["budgets"] = (input, { zone } = {}) =>
    Effect.flatMap(failing(checkBudgets({ budgets: input, zone })), (options) => statesOf(store, options, caughtUp))
  return { ...reportsOf(store, undefined, caughtUp), budgets }
}

export const makeLedger = Effect.fn(...untraced("Money.makeLedger"))(function* (
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
