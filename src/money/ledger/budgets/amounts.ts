/** Amounts as they are stored, whole numbers, and as callers give them: dollars are stored in millionths; pure. */
import type { BudgetUnit } from "../../../contract/Budget.ts"

/** The word for it in `budget_windows`. */
export type StoredUnit = "micros" | "tokens" | "turns"

export const storedUnit = (unit: BudgetUnit): StoredUnit => (unit === "usd" ? "micros" : unit)

/** At least 1. */
export const toStored = (unit: BudgetUnit, amount: number): number =>
  Math.max(1, Math.round(unit === "usd" ? amount * 1e6 : amount))

export const fromStored = (unit: BudgetUnit, amount: number): number => (unit === "usd" ? amount / 1e6 : amount)
