/** The ledger of a store: options, prices, entries for the usage and cost of runs, and reports. */
import { Schema } from "effect"
import type { AgentUsage } from "./AgentRunResult.ts"
import type { Budget } from "./Budget.ts"
import { schemaOf } from "./schemaOf.ts"

/** The owner of a run, for budgets and reports. Nothing of it is passed to the CLI. */
export interface AccountParams {
  /** A name or path, at most 1,024 characters. Default: the working directory. */
  readonly project?: string | undefined
  /** The person for whom it runs, at most 1,024 characters. Default: none. */
  readonly user?: string | undefined
}

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(1024))

export const AccountParams = schemaOf<AccountParams>()(
  Schema.Struct({ project: Schema.optional(Name), user: Schema.optional(Name) })
)

/** Prices of a model in US dollars per million tokens. */
export interface PriceRates {
  /** Input tokens that did not come from a cache. */
  readonly input: number
  /** Output tokens, including thinking. */
  readonly output: number
  /** Input tokens that came from a cache. Default: as `input`. */
  readonly cacheRead?: number
  /** Input tokens that were written to a cache. Default: as `input`. */
  readonly cacheWrite?: number
}

/** Your own prices, before the table's: rates, or the name of a model: `{ "gpt-reserve": "gpt-5.6-luna" }`. */
export interface ModelPrices {
  readonly [model: string]: string | PriceRates
}

/** The price table in use. Nothing is read from a network: it comes with the package. */
export interface PriceTable {
  /** The package with the table, and its version. */
  readonly version: string
  /** When that version was published, as `2026-09-23`. */
  readonly published: string
}

/** The options of a ledger. */
export interface LedgerOptions {
  /** Limits of what runs may spend. With at least one, a start waits for the store, and fails without it. Default: none. */
  readonly budgets?: ReadonlyArray<Budget> | undefined
  /** The time zone in which days and months begin, such as `Europe/Berlin`. Default: that of the host. */
  readonly zone?: string | undefined
  /** Prices of models whose cost the CLI does not report, before those of the price table. Default: none. */
  readonly prices?: ModelPrices | undefined
  /** The account of runs that name none. Default: their working directory, and no user. */
  readonly account?: AccountParams | undefined
}

/**
 * Where the cost of an entry comes from.
 * - `cli`: the CLI reported it.
 * - `table`: token counts by the price table. `user`: by prices of the user.
 * - `estimate`: the last known sum of a run that was cut off, or a price that can differ from the bill.
 * - `none`: unknown.
 */
export type UsageSource = "cli" | "table" | "user" | "estimate" | "none"

/** Who pays: an account with a key, a subscription, or not known. */
export type UsageBilling = "api" | "subscription" | "unknown"

/** One entry of the ledger: a run, or a turn of a live session, and one model. Entries are added and never changed. */
export interface UsageEntry extends AgentUsage {
  /** Unique: the run, the turn and the model */
  readonly id: string
  /** When the run or turn ended, in ms since 1970 */
  readonly at: number
  /** The run, or the live session */
  readonly runId: string
  /** A turn of a live session; absent for a run */
  readonly turnId?: string
  /** The CLI's id of the session; absent if it opened none */
  readonly sessionId?: string
  /** The id of the CLI, such as `claude` */
  readonly cli: string
  /** Name of the machine and user in whose home it ran */
  readonly home: string
  /** As the CLI names it; absent if unknown */
  readonly model?: string
  /** Project of its `account`, else the working directory */
  readonly project?: string
  /** User of its `account` */
  readonly user?: string
  /** Cost in millionths of a US dollar; absent if unknown, which is not 0 */
  readonly micros?: number
  /** The same as `micros`, in US dollars */
  readonly costUsd?: number
  /** Where the cost comes from */
  readonly source: UsageSource
  /** The version of the price table, where one was used */
  readonly priceVersion?: string
  /** Who pays */
  readonly billing: UsageBilling
  /** Model turns, as the CLI counts them; absent if not reported */
  readonly turns?: number
}

/** The rows of a report. `session`: the CLI's id. */
export type UsageBy = "day" | "month" | "model" | "cli" | "session" | "project" | "user"

/** A moment: ms since 1970, a `Date`, or a text: `2026-11-23` and `2026-11` begin in the zone, `2026-11-23T10:00:00Z` is exact. */
export type UsageMoment = number | Date | string

/** Filters of entries; all must match. */
export interface UsageFilter {
  /** From this moment on. Default: the first entry. */
  readonly since?: UsageMoment | undefined
  /** Before this moment. Default: none. */
  readonly until?: UsageMoment | undefined
  /** The time zone in which days begin, such as `Europe/Berlin`. Default: that of the host. */
  readonly zone?: string | undefined
  /** Entries of one CLI, by its id. */
  readonly cli?: string | undefined
  /** Entries of one model, as the CLI names it. */
  readonly model?: string | undefined
  /** Entries of one session, by the CLI's id. */
  readonly sessionId?: string | undefined
  /** Entries of one run or live session, by its id. */
  readonly runId?: string | undefined
  /** Entries of one project. */
  readonly project?: string | undefined
  /** Entries of one user. */
  readonly user?: string | undefined
}

/** Filters of entries, and the rows of their sums. */
export interface UsageQuery extends UsageFilter {
  /** A row for each of these. Default: `day`. */
  readonly by?: UsageBy | undefined
}

/** Token counts, each the sum of those that were reported. */
export interface UsageTokens {
  /** Input tokens that did not come from a cache */
  readonly input: number
  /** Output tokens */
  readonly output: number
  /** Input tokens that came from a cache */
  readonly cacheRead: number
  /** Input tokens that were written to a cache */
  readonly cacheWrite: number
  /** All of these */
  readonly total: number
}

/** Runs and turns whose cost is unknown: a sum does not contain them. */
export interface UnpricedUsage {
  /** How many runs, and turns of live sessions */
  readonly runs: number
  /** Their tokens, as far as they were reported */
  readonly tokens: number
}

/** A sum of entries. */
export interface UsageSum {
  /** Known cost in millionths of a US dollar: with `unpriced.runs` above 0 the real cost is higher */
  readonly micros: number
  /** The same in US dollars */
  readonly costUsd: number
  /** Millionths of a US dollar of `micros` that are estimates */
  readonly estimated: number
  /** Tokens, as far as they were reported */
  readonly tokens: UsageTokens
  /** Runs, and turns of live sessions */
  readonly runs: number
  /** Runs and turns whose cost is unknown */
  readonly unpriced: UnpricedUsage
}

/** The sum of one day, month, model, CLI, session, project or user. */
export interface UsageRow extends UsageSum {
  /** `2026-11-23`, `2026-11`, or a name; absent where the entries have none */
  readonly key?: string
}

/** Sums of usage and cost, by rows. */
export interface UsageReport {
  /** The kind of the rows */
  readonly by: UsageBy
  /** The zone in which days begin */
  readonly zone: string
  /** Days and months in order, all others by cost, the highest first */
  readonly rows: ReadonlyArray<UsageRow>
  /** The sum of all rows */
  readonly total: UsageSum
}
