/** Budgets that are nearly or wholly used up, for the people of a chat; pure. */
import type { BudgetState } from "../../contract/Budget.ts"
import { budgetAmount } from "../../contract/text/amounts.ts"
import { momentIn, safe } from "../texts.ts"

/** From this share of its limit on a budget is shown below answers. */
const shownFrom = 0.8

interface Counted {
  /** The ledger account of the chat. */
  readonly user: string
  readonly directory: string
}

/** Whether runs of the chat count in it. Sums of sessions and runs end with them. */
const counts = ({ per, subject }: BudgetState, { user, directory }: Counted) =>
  per === "all" || (per === "user" && subject === user) || (per === "project" && subject === directory)

/** `Budget "day": $4.20 of $5.00 spent (84 %), free again 29 Nov 2026, 00:00 (UTC)`, the fullest first. */
export const budgetLines = (
  states: ReadonlyArray<BudgetState>,
  counted: Counted,
  zone: string
): ReadonlyArray<string> =>
  states
    .filter((state) => counts(state, counted) && state.spent >= state.limit * shownFrom)
    .sort((a, b) => b.spent / b.limit - a.spent / a.limit)
    .map(({ budget, unit, spent, limit, endsAt }) => {
      const free = endsAt === undefined ? "" : `, free again ${momentIn(zone)(endsAt)}`
      const share = Math.floor((spent / limit) * 100)
      return `Budget "${safe(budget)}": ${budgetAmount(unit, spent)} of ${budgetAmount(unit, limit)} spent (${share} %)${free}`
    })
