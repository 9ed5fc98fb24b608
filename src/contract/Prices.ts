/** The words of prices: what tokens of a model cost, where its CLI does not report the cost. */

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

/**
 * Prices of your own, by the model as the CLI names it: its rates, or the name of another model that costs the same, such
 * as `{ "gpt-reserve": "gpt-5.6-luna" }`. They are used before those of the price table.
 */
export interface ModelPrices {
  readonly [model: string]: string | PriceRates
}

/** Which price table is in use. Nothing is read from a network: it comes with the package. */
export interface PriceTable {
  /** The package with the table, and its version. */
  readonly version: string
  /** When that version was published, as `2026-09-23`. */
  readonly published: string
}
