/** The budgets of a caller, with their defaults, and the other options of a ledger, checked; pure. */
import { Predicate, Result, Schema } from "effect"
import { InvalidParams } from "../../../contract/AgentError.ts"
import { parseAccount } from "../../../contract/AgentExecuteParams.ts"
import { Budget, type BudgetPer, type BudgetUnit, type BudgetWindow } from "../../../contract/Budget.ts"
import { makeParser } from "../../../contract/checkInput.ts"
import type { LedgerOptions, UsageBilling } from "../../../contract/Usage.ts"
import { priceProblems } from "../../prices/checkPrices.ts"
import { checkZone } from "../zones.ts"

/** The word for it in `budget_windows`. */
export type StoredUnit = "micros" | "tokens" | "turns"

export const storedUnit = (unit: BudgetUnit): StoredUnit => (unit === "usd" ? "micros" : unit)

/** At least 1. */
export const toStored = (unit: BudgetUnit, amount: number): number =>
  Math.max(1, Math.round(unit === "usd" ? amount * 1e6 : amount))

export const fromStored = (unit: BudgetUnit, amount: number): number => (unit === "usd" ? amount / 1e6 : amount)

/** Amounts are as they are stored. */
export interface Definition {
  readonly name: string
  readonly per: BudgetPer
  readonly window: BudgetWindow
  readonly unit: BudgetUnit
  readonly limit: number
  readonly warnAt: number
  /** The amount; undefined to estimate it from earlier runs. */
  readonly reserve: number | undefined
  readonly stops: boolean
  readonly countsReserve: boolean
  /** Undefined for all. */
  readonly billing: ReadonlyArray<UsageBilling> | undefined
}

export interface BudgetOptions {
  readonly budgets: ReadonlyArray<Definition>
  readonly zone: string
}

const units = ["usd", "tokens", "turns"] as const
const parse = makeParser(Schema.Struct({ budgets: Schema.optional(Schema.Array(Budget)) }), "options")

const invalid = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))

const currency = /^(currency|eur|gbp|jpy|cny|chf|cad|aud|inr|dollars?|euros?|cents?|amount|limit)$/i

/** In another currency or unit: the name alone would lead to no cure. */
const foreignUnit = (input: unknown): Result.Result<void, InvalidParams> => {
  if (!Array.isArray(input)) return Result.void
  for (const [index, budget] of input.entries()) {
    if (!Predicate.isObject(budget)) continue
    const field = Object.keys(budget).find((name) => currency.test(name))
    if (field === undefined) continue
    return invalid(
      `budgets.${index}.${field}`,
      "is not known: a budget is in US dollars (usd), tokens or turns: usd: 5"
    )
  }
  return Result.void
}

/** True if either says that it counts one run. */
const isOfRun = ({ per, window }: Budget) => per === "run" || window === "run"

const problemOf = (budget: Budget): readonly [field: string, problem: string] | undefined => {
  const named = units.filter((unit) => budget[unit] !== undefined)
  if (named.length === 0) return ["usd", "is missing: a budget has a limit in usd, tokens or turns"]
  if (named[1] !== undefined) return [named[1], `is a second limit beside ${named[0]}: make two budgets of them`]
  if (isOfRun(budget) && budget.window !== "run") return ["window", 'is not "run", as it is for a budget per run']
  if (isOfRun(budget) && budget.per !== undefined && budget.per !== "run") {
    return [
      "per",
      `is ${budget.per}, and the window is one run: leave "per" out, or use window "day", "month" or "total"`
    ]
  }
  const unit = named[0] ?? "usd"
  if (budget.reserve !== undefined && budget.reserve > (budget[unit] ?? 0)) {
    return ["reserve", `is more than the limit (${unit}): no run could start`]
  }
  if (unit !== "usd" && budget.reserve !== undefined && !Number.isInteger(budget.reserve)) {
    return ["reserve", `is not a whole number of ${unit}`]
  }
  if (budget.billing?.length === 0) return ["billing", "is empty: nothing would count"]
  return undefined
}

const definitionOf = (budget: Budget): Definition => {
  const unit = units.find((name) => budget[name] !== undefined) ?? "usd"
  const ofRun = isOfRun(budget)
  return {
    name: budget.name,
    per: ofRun ? "run" : (budget.per ?? "all"),
    window: budget.window,
    unit,
    limit: toStored(unit, budget[unit] ?? 0),
    warnAt: budget.warnAt ?? 0.7,
    reserve: budget.reserve === undefined ? undefined : toStored(unit, budget.reserve),
    stops: (budget.onExceeded ?? (ofRun ? "stop" : "refuse")) === "stop",
    countsReserve: unit === "usd" && budget.unpriced !== "ignore",
    billing: budget.billing ?? (unit === "usd" ? ["api", "unknown"] : undefined)
  }
}

interface BudgetInput {
  readonly budgets?: unknown
  /** Default: that of the host. */
  readonly zone?: unknown
}

export const checkBudgets = ({ budgets, zone }: BudgetInput): Result.Result<BudgetOptions, InvalidParams> =>
  Result.gen(function* () {
    yield* foreignUnit(budgets)
    const { budgets: list = [] } = yield* parse({ budgets })
    // Without budgets nothing asks for a day: to find the host's zone takes some milliseconds.
    const inZone = list.length === 0 && zone === undefined ? "UTC" : yield* checkZone(zone)
    for (const [index, budget] of list.entries()) {
      const problem = problemOf(budget)
      if (problem !== undefined) return yield* invalid(`budgets.${index}.${problem[0]}`, problem[1])
      if (list.findIndex(({ name }) => name === budget.name) < index) {
        return yield* invalid(
          `budgets.${index}.name`,
          `${JSON.stringify(budget.name)} is the name of another budget, too`
        )
      }
    }
    return { budgets: list.map(definitionOf), zone: inZone }
  })

const checkPrices = (prices: unknown): Result.Result<void, InvalidParams> => {
  const [first] = prices === undefined ? [] : priceProblems(prices)
  if (first === undefined) return Result.void
  return Result.fail(new InvalidParams({ option: ["prices", ...first.path].join("."), problem: first.problem }))
}

export const checkOptions = ({ budgets, zone, account, prices }: LedgerOptions): Result.Result<void, InvalidParams> =>
  Result.gen(function* () {
    yield* checkBudgets({ budgets, zone })
    yield* parseAccount({ account })
    yield* checkPrices(prices)
  })
