/** Prices of the user: what is wrong in them, each with its place and the cure. Pure. */
import { hintFor } from "../../contract/suggestions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { ModelPrices, PriceRates } from "../../contract/Usage.ts"
import { plainName } from "./modelName.ts"

export interface PriceProblem {
  /** Such as `["gpt-reserve", "input"]`. */
  readonly path: ReadonlyArray<string>
  /** To follow the name of the place. */
  readonly problem: string
}

const rateNames = ["input", "output", "cacheRead", "cacheWrite"] as const satisfies ReadonlyArray<keyof PriceRates>
const needed = ["input", "output"] as const
/** A higher number was given per token, or in cents. In US dollars per million tokens. */
const highest = 100_000
const longestName = 200
const mostModels = 1000

export const aRate =
  "a number from 0 to 100000: US dollars per million tokens, without quotes or currency, such as 1.25"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

export const isRate = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= highest

const ratesProblems = (model: string, rates: Readonly<Record<string, unknown>>): ReadonlyArray<PriceProblem> => [
  ...Object.entries(rates).flatMap(([name, value]) => {
    if (!rateNames.some((known) => known === name)) {
      const known = hintFor(name, rateNames) || ` (known: ${rateNames.join(", ")})`
      const hint = /^\d/.test(name) ? "; a model with a dot in its name stands in quotes" : known
      return [{ path: [model, name], problem: `is not a rate of a model${hint}` }]
    }
    return isRate(value) ? [] : [{ path: [model, name], problem: `is not ${aRate}` }]
  }),
  ...needed
    .filter((name) => !Object.hasOwn(rates, name))
    .map((name) => ({ path: [model], problem: `has no rate ${name}; write { input = 1.25, output = 10 }` }))
]

const nameProblem = (name: string): string | undefined => {
  if (name.trim() === "") return "is empty: write the name of a model"
  if (name.length > longestName) return `is longer than ${longestName} characters`
  return harmless(name) === name && !/\s/.test(name)
    ? undefined
    : "has blanks, or control or invisible characters: write the name as the CLI reports it"
}

/** One model's value: another model's name, or rates. */
const modelProblems = (model: string, value: unknown): ReadonlyArray<PriceProblem> => {
  const name = nameProblem(model)
  if (name !== undefined) return [{ path: [model], problem: name }]
  if (isRecord(value)) return ratesProblems(model, value)
  const cure = "write the name of another model in quotes, or rates: { input = 1.25, output = 10 }"
  if (typeof value !== "string") return [{ path: [model], problem: `is neither a name nor rates: ${cure}` }]
  const other = nameProblem(value)
  if (other !== undefined) return [{ path: [model], problem: `names a model that ${other}` }]
  return /^[\d.,]+$/.test(value)
    ? [{ path: [model], problem: `is a number in quotes: ${cure}` }]
    : plainName(value) === plainName(model)
      ? [{ path: [model], problem: `names itself: ${cure}` }]
      : []
}

/** A name that leads back to itself has no price. */
const circles = (prices: Readonly<Record<string, unknown>>): ReadonlyArray<PriceProblem> => {
  const next = new Map(Object.entries(prices).map(([model, value]) => [plainName(model), value] as const))
  return Object.keys(prices).flatMap((model) => {
    const names = new Set<string>()
    for (let at = plainName(model); ; ) {
      names.add(at)
      const value = next.get(at)
      if (typeof value !== "string") return []
      at = plainName(value)
      if (names.has(at))
        return [{ path: [model], problem: "leads back to itself through other names: give one of them rates" }]
    }
  })
}

/** All that is wrong; empty where the value can be used as `ModelPrices`. */
export const priceProblems = (value: unknown): ReadonlyArray<PriceProblem> => {
  if (!isRecord(value)) return [{ path: [], problem: 'is not a table of models: { "gpt-reserve": "gpt-5.6-luna" }' }]
  const entries = Object.entries(value)
  if (entries.length > mostModels) return [{ path: [], problem: `has more than ${mostModels} models` }]
  const each = entries.flatMap(([model, of]) => modelProblems(model, of))
  return each.length > 0 ? each : circles(value)
}

export const asPrices = (value: unknown): value is ModelPrices => priceProblems(value).length === 0
