/** The cost of a run whose CLI reported none, by the user's prices, else by the table, which is loaded when needed. */
import { Effect } from "effect"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import type { ModelPrices, PriceRates } from "../../contract/Usage.ts"
import { untraced } from "../../contract/untraced.ts"
import { chosenModel, plainName, reportedModel } from "./modelName.ts"
import { type Lookup, loadTable, priceTable, type Rate, type TableRates } from "./table.ts"

export interface PriceRequest {
  readonly cli: string
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

export const noPrices: Pricing = { priceOf: () => Effect.succeed(undefined) }

/** Returns undefined if the input or the output was not reported: a partial price would mislead. */
const microsOf = (usage: AgentUsage, rates: PriceRates): number | undefined => {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const micros =
    inputTokens * rates.input +
    outputTokens * rates.output +
    cacheReadTokens * (rates.cacheRead ?? rates.input) +
    cacheWriteTokens * (rates.cacheWrite ?? rates.input)
  // Floating point leaves 0.9999… of a micro-dollar where there should be a whole one.
  const whole = Math.round(micros)
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}

/** All input of a request counts for its length, cached or not. */
const inputOf = ({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: AgentUsage): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens

/** Rates for a sum of requests from rates by their length: 300k tokens of five requests are not a long one. */
interface SumRates {
  readonly rates: PriceRates
  /** Whether another distribution of the tokens over the requests would have another price. */
  readonly isEstimate: boolean
}

const all = ({ input, output, cacheRead, cacheWrite }: TableRates): ReadonlyArray<Rate> =>
  [input, output, cacheRead, cacheWrite].filter((rate) => rate !== undefined)

const rateAt = (rate: Rate, length: number): number =>
  typeof rate === "number"
    ? rate
    : rate.tiers.reduce((price, tier) => (length > tier.start ? tier.price : price), rate.base)

/** `requests`: how many there were; unknown, they are taken to be short. */
const ratesForSum = (table: TableRates, usage: AgentUsage, requests: number | undefined): SumRates => {
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

let loading: Promise<Lookup> | undefined

const table = Effect.promise(() => {
  loading ??= loadTable()
  return loading
})

type OwnPrices = ReadonlyMap<string, string | PriceRates>

/** Through the names that the user wrote to rates, or to the last name. */
const ownPrice = (prices: OwnPrices, model: string): string | PriceRates => {
  const value = prices.get(plainName(model))
  if (value === undefined) return model
  return typeof value === "string" ? ownPrice(prices, value) : value
}

const isNothing = ({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: AgentUsage) =>
  inputTokens === 0 && outputTokens === 0 && cacheReadTokens === 0 && cacheWriteTokens === 0

/** `prices`: checked, so that no name leads back to itself. */
export const makePricing = (prices: ModelPrices = {}): Pricing => {
  const own = new Map(Object.entries(prices).map(([model, value]) => [plainName(model), value] as const))
  return {
    priceOf: Effect.fn(...untraced("MakePricing.priceOf"))(function* ({
      cli,
      model,
      usage,
      requests,
      at
    }: PriceRequest) {
      if (isNothing(usage))
        return { micros: 0, source: "table", isEstimate: false, version: priceTable.version } as const
      const found = ownPrice(own, model)
      if (typeof found !== "string") {
        const micros = microsOf(usage, found)
        return micros === undefined
          ? undefined
          : ({ micros, source: "user", isEstimate: false, version: "user" } as const)
      }
      const models = found === model ? reportedModel(cli, model) : chosenModel(cli, found)
      if (models.length === 0) return undefined
      const lookup = yield* table
      const rates = models.map((each) => lookup(each, new Date(at))).find((each) => each !== undefined)
      if (rates === undefined) return undefined
      const sum = ratesForSum(rates, usage, requests)
      const micros = microsOf(usage, sum.rates)
      if (micros === undefined) return undefined
      return { micros, source: "table", isEstimate: sum.isEstimate, version: priceTable.version } as const
    })
  }
}
