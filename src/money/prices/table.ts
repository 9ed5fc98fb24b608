/**
 * The price table: rows of `@pydantic/genai-prices`, bundled and loaded when a price is asked for the first time. Nothing
 * of it is fetched.
 */
import type { ModelPrice, TieredPrices } from "@pydantic/genai-prices"
import type { PriceTable } from "../../contract/Prices.ts"
import type { NamedModel } from "./modelName.ts"
import { isSameModel } from "./sameModel.ts"

/** The date is that of the registry; a test compares the version with the one installed. */
export const priceTable: PriceTable = { version: "genai-prices 0.1.8", published: "2026-09-23" }

/** A table of this age is mentioned where prices are shown. */
export const oldAfterDays = 60

const dayMs = 24 * 60 * 60 * 1000

/** Whole days from its publication, at a time in ms since 1970. */
export const tableAgeDays = (now: number): number =>
  Math.max(0, Math.floor((now - Date.parse(priceTable.published)) / dayMs))

/** Rates in dollars per million tokens; with tiers, the first is for short requests. */
export interface TableRates {
  readonly input: Rate
  readonly output: Rate
  readonly cacheRead?: Rate
  readonly cacheWrite?: Rate
}

export type Rate = number | TieredPrices

export type Lookup = (model: NamedModel, at: Date) => TableRates | undefined

const ratesOf = ({ input_mtok, output_mtok, cache_read_mtok, cache_write_mtok }: ModelPrice): TableRates | undefined =>
  input_mtok === undefined || output_mtok === undefined
    ? undefined
    : {
        input: input_mtok,
        output: output_mtok,
        ...(cache_read_mtok === undefined ? {} : { cacheRead: cache_read_mtok }),
        ...(cache_write_mtok === undefined ? {} : { cacheWrite: cache_write_mtok })
      }

export const loadTable = async (): Promise<Lookup> => {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices")
  return ({ vendor, name }, at) => {
    const provider = findProvider({ providerId: vendor })
    // A search for the vendor also finds names that merely contain one.
    if (provider === undefined || provider.id !== vendor) return undefined
    const row = provider.models.find((each) => isSameModel(each, name))
    if (row === undefined) return undefined
    const alone = { ...provider, models: [{ ...row, match: { equals: name } }] }
    const found = calcPrice({}, name, { provider: alone, timestamp: at })
    return found === null ? undefined : ratesOf(found.model_price)
  }
}
