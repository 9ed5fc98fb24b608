/** The reservation of a run or turn in one window, and the room that is left; pure but for the amount that it keeps. */
import { BudgetExceeded } from "../../../contract/AgentError.ts"
import type { Spent } from "../money.ts"
import { fromStored } from "./definition.ts"
import type { Sums } from "./windowRows.ts"
import type { Window } from "./windows.ts"

export interface Held {
  readonly window: Window
  /** The first reservation: it is raised by as much at once. */
  readonly step: number
  readonly amount: number
  /** Spending of others when it was last read. */
  readonly spent: number
}

/** Room below the limit, for this run: its own reservation does not count as taken. */
export const roomOf = ({ window }: Pick<Held, "window">, sums: Sums, own: number): number =>
  window.definition.limit - sums.spent - (sums.reserved - own)

/** Nothing of this run is in the sums but its own reservation. */
export const exceeded = (window: Window, sums: Sums, own: number, request: number): BudgetExceeded => {
  const { definition, ends } = window
  const { name, unit, limit } = definition
  const amount = (stored: number) => fromStored(unit, stored)
  return new BudgetExceeded({
    budget: name,
    unit,
    limit: amount(limit),
    spent: amount(sums.spent),
    reserved: amount(Math.max(0, sums.reserved - own)),
    asked: amount(request),
    ...(ends === undefined || request > limit ? {} : { freeAt: ends })
  })
}

/** Returns undefined if it is unknown. */
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
