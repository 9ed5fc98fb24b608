/** Sums of the ledger and of budgets for people; pure. */
import type { BudgetState, BudgetUnit } from "../../contract/Budget.ts"
import { formatCost, formatCount, plural } from "../../contract/text/amounts.ts"
import type { UsageSum, UsageTokens } from "../../contract/Usage.ts"

/** `≥`: without the runs whose cost is unknown; `~`: with estimates. */
export const costText = ({ micros, costUsd, runs, unpriced, estimated }: UsageSum): string => {
  if (micros === 0 && unpriced.runs > 0 && unpriced.runs >= runs) return "unknown"
  return `${unpriced.runs > 0 ? "≥ " : ""}${estimated > 0 ? "~" : ""}${formatCost(costUsd)}`
}

export const runsText = ({ runs, unpriced }: UsageSum): string =>
  `${plural(runs, "run")}${unpriced.runs > 0 ? `, ${unpriced.runs} unpriced` : ""}`

export const tokensText = ({ input, output, cacheRead, cacheWrite }: UsageTokens): string =>
  `${formatCount(input + cacheRead + cacheWrite)} in  ${formatCount(output)} out`

export const amountText = (unit: BudgetUnit, amount: number): string =>
  unit === "usd" ? formatCost(amount) : formatCount(amount)

const unitText = (unit: BudgetUnit) => (unit === "usd" ? "" : ` ${unit}`)

/** `$4.31 + $0.50 reserved of $5.00`. */
export const budgetText = ({ unit, spent, reserved, limit }: BudgetState): string => {
  const open = reserved > 0 ? ` + ${amountText(unit, reserved)} reserved` : ""
  return `${amountText(unit, spent)}${open} of ${amountText(unit, limit)}${unitText(unit)}`
}

export const percentOf = ({ spent, reserved, limit }: BudgetState): number =>
  limit > 0 ? Math.floor(((spent + reserved) / limit) * 100) : 100
