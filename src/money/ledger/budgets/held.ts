/** What a run or a turn has reserved in one window, and what there is room for; pure but for the amount that it keeps. */
import { BudgetExceeded } from "../../../contract/AgentError.ts"
import type { Spent } from "../money.ts"
import { fromStored } from "./definition.ts"
import type { Sums } from "./windowRows.ts"
import type { Window } from "./windows.ts"

export interface Held {
  readonly window: Window
  /** What was reserved at first: it is raised by as much at once. */
  readonly step: number
  readonly amount: number
  /** What others had spent when it was last read. */
  readonly spent: number
}

/** Of the limit, for this run alone: what it has reserved itself is not taken. */
export const roomOf = ({ window }: Pick<Held, "window">, sums: Sums, own: number): number =>
  window.definition.limit - sums.spent - (sums.reserved - own)

/** Nothing of this run is in the sums but its own reservation. */
export const exceeded = (window: Window, sums: Sums, own: number, asked: number): BudgetExceeded => {
  const { definition, ends } = window
  const { name, unit, limit } = definition
  const amount = (stored: number) => fromStored(unit, stored)
  return new BudgetExceeded({
    budget: name,
    unit,
    limit: amount(limit),
    spent: amount(sums.spent),
    reserved: amount(Math.max(0, sums.reserved - own)),
    asked: amount(asked),
    ...(ends === undefined || asked > limit ? {} : { freeAt: ends })
  })
}

/** Undefined: not known. */
export const costIn = ({ window }: Pick<Held, "window">, { micros, usage, turns }: Spent): number | undefined => {
  const { unit } = window.definition
  if (unit === "usd") return micros
  if (unit === "turns") return turns
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].reduce<number>(
    (sum, count) => sum + (count ?? 0),
    0
  )
}
