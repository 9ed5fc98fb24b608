/**
 * What a run cost, where its CLI did not report it: by the user's prices, else by the table, else unknown. The table is
 * loaded at the first question that the user's prices do not answer.
 */
import { Effect } from "effect"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import type { ModelPrices, PriceRates } from "../../contract/Prices.ts"
import { chosenModel, plainName, reportedModel } from "./modelName.ts"
import type { PriceRequest, Pricing } from "./pricing.ts"
import { microsOf } from "./rates.ts"
import { type Lookup, loadTable, priceTable } from "./table.ts"
import { ratesForSum } from "./tiers.ts"

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
    priceOf: Effect.fnUntraced(function* ({ cli, model, usage, requests, at }: PriceRequest) {
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
