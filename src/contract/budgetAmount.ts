/** Amounts of budgets as people write them: `$4.70`, `120,000 tokens`, `1 turn`; pure. */
import type { BudgetUnit } from "./Budget.ts"

/** Cents, unless they hide a small amount. */
const digitsOf = (usd: number) => (usd !== 0 && Math.abs(usd) < 0.1 ? 6 : 2)

export const budgetAmount = (unit: BudgetUnit, amount: number): string =>
  unit === "usd"
    ? `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: digitsOf(amount) })}`
    : `${amount.toLocaleString("en-US")} ${amount === 1 ? unit.slice(0, -1) : unit}`
