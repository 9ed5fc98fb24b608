/** The price table: rows of `@pydantic/genai-prices`, bundled, and loaded when it is first needed. */
import type { MatchLogic, ModelPrice, TieredPrices } from "@pydantic/genai-prices"
import type { PriceTable } from "../../contract/Usage.ts"
import type { NamedModel } from "./modelName.ts"

/** Suffixes of a model's name that do not make another model: a date, a revision, a release stage. */
const sameAfter = /^(?:[-@]?\d{4}(?:-?\d{2}-?\d{2})?|-\d{3}|-latest|-(?:preview|exp)(?:-\d{2}-\d{2,4})?|-customtools)?$/

const matches = (match: MatchLogic, name: string): boolean => {
  if ("or" in match) return match.or.some((each) => matches(each, name))
  if ("and" in match) return match.and.every((each) => matches(each, name))
  if ("equals" in match) return name === match.equals.toLowerCase()
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase())
  if ("ends_with" in match) return name.endsWith(match.ends_with.toLowerCase())
  if ("contains" in match) return name.includes(match.contains.toLowerCase())
  return new RegExp(match.regex).test(name)
}

/** A pattern for a whole name says which names are meant. */
const isWhole = (regex: string) => regex.startsWith("^") && regex.endsWith("$") && !regex.includes("?!")

const isExact = (match: MatchLogic, name: string): boolean => {
  if ("or" in match) return match.or.some((each) => isExact(each, name))
  if ("and" in match)
    return match.and.every((each) => matches(each, name)) && match.and.some((each) => isExact(each, name))
  if ("equals" in match) return matches(match, name)
  if ("regex" in match) return isWhole(match.regex) && matches(match, name)
  if ("starts_with" in match) return matches(match, name) && sameAfter.test(name.slice(match.starts_with.length))
  return false
}

const isSameModel = (row: { readonly id: string; readonly match: MatchLogic }, name: string): boolean =>
  row.id === name || isExact(row.match, name)

/** The date is that of the registry; a test compares the version with the one installed. */
export const priceTable: PriceTable = { version: "genai-prices 0.1.8", published: "2026-09-23" }
/** A table of this age is mentioned where prices are shown. */
export const oldAfterDays = 60

const dayMs = 24 * 60 * 60 * 1000

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
