/** Prices usage whose cost no CLI has reported. */
import { Effect } from "effect"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"

export interface PriceRequest {
  readonly cli: string
  /** As the CLI names it. */
  readonly model: string
  /** The sum of all requests; `inputTokens` without those of a cache. */
  readonly usage: AgentUsage
  /** Requests to the model of which it is the sum; undefined: unknown. */
  readonly requests: number | undefined
  /** When the run ended, in ms since 1970. */
  readonly at: number
}

interface Price {
  /** Millionths of a US dollar; an integer. */
  readonly micros: number
  /** Version of the table, or `user`. */
  readonly version: string
  /** By whom: the table, or prices of the user. */
  readonly source: "table" | "user"
  /** It can differ from the bill. */
  readonly isEstimate: boolean
}

export interface Pricing {
  /** Undefined for a model without a price: that is unknown, not 0. Loads its table with the first call. */
  readonly priceOf: (request: PriceRequest) => Effect.Effect<Price | undefined>
}

/** Knows no price. */
export const noPrices: Pricing = { priceOf: () => Effect.succeed(undefined) }
