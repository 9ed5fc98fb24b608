/** The options of a ledger. */
import type { Budget } from "./Budget.ts"
import type { ModelPrices } from "./Prices.ts"
import type { AccountParams } from "./Usage.ts"

/** How a ledger counts. */
export interface LedgerOptions {
  /** What runs may spend. With at least one, a start waits for the store, and fails without it. Default: none. */
  readonly budgets?: ReadonlyArray<Budget> | undefined
  /** The time zone in which days and months begin, such as `Europe/Berlin`. Default: that of the host. */
  readonly zone?: string | undefined
  /** Prices of models whose cost the CLI does not report, before those of the price table. Default: none. */
  readonly prices?: ModelPrices | undefined
  /** To whom runs belong that name nobody themselves. Default: their working directory, and no user. */
  readonly account?: AccountParams | undefined
}
