/**
 * Rates that depend on the length of a request → rates for a sum of requests. A run reports sums, and 300k tokens of five
 * requests are no long context. Pure.
 */

import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import type { PriceRates } from "../../contract/Prices.ts"
import { inputOf } from "./rates.ts"
import type { Rate, TableRates } from "./table.ts"

export interface SumRates {
  readonly rates: PriceRates
  /** Whether another distribution of the tokens over the requests would have another price. */
  readonly isEstimate: boolean
}

const all = ({ input, output, cacheRead, cacheWrite }: TableRates): ReadonlyArray<Rate> =>
  [input, output, cacheRead, cacheWrite].filter((rate) => rate !== undefined)

/** The rate of a request of this length. */
const rateAt = (rate: Rate, length: number): number =>
  typeof rate === "number"
    ? rate
    : rate.tiers.reduce((price, tier) => (length > tier.start ? tier.price : price), rate.base)

/** `requests`: how many there were; unknown, they are taken to be short. */
export const ratesForSum = (table: TableRates, usage: AgentUsage, requests: number | undefined): SumRates => {
  const starts = all(table).flatMap((rate) => (typeof rate === "number" ? [] : rate.tiers.map(({ start }) => start)))
  const total = inputOf(usage)
  const isShort = total <= Math.min(...starts)
  const length = isShort || requests === undefined ? 0 : total / Math.max(1, requests)
  const { cacheRead, cacheWrite } = table
  return {
    rates: {
      input: rateAt(table.input, length),
      output: rateAt(table.output, length),
      ...(cacheRead === undefined ? {} : { cacheRead: rateAt(cacheRead, length) }),
      ...(cacheWrite === undefined ? {} : { cacheWrite: rateAt(cacheWrite, length) })
    },
    isEstimate: !isShort && requests !== 1
  }
}
