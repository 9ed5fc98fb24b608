/** Numbers for people: durations, counts, costs, amounts of budgets, moments; pure. */
import type { BudgetUnit } from "../Budget.ts"

export const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** In whole seconds, for a time that still runs. */
export const formatElapsed = (ms: number): string =>
  formatDuration(Math.max(1, Math.floor(ms / 1000)) * 1000).replace(".0", "")

const scaled = (value: number): string =>
  value < 9.95 ? value.toFixed(1).replace(".0", "") : String(Math.round(value))

export const formatCount = (count: number): string => {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${scaled(count / 1000)}k`
  return `${scaled(count / 1_000_000)}M`
}

/** At least two significant digits, however small the sum. */
export const formatCost = (usd: number): string => {
  if (usd === 0) return "$0"
  if (usd >= 0.1) return `$${usd.toFixed(2)}`
  return `$${usd.toFixed(Math.min(8, 1 - Math.floor(Math.log10(usd))))}`
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Cents, unless they hide a small amount. */
const digitsOf = (usd: number) => (usd !== 0 && Math.abs(usd) < 0.1 ? 6 : 2)

/** `$4.70`, `120,000 tokens`, `1 turn`. */
export const budgetAmount = (unit: BudgetUnit, amount: number): string =>
  unit === "usd"
    ? `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: digitsOf(amount) })}`
    : `${amount.toLocaleString("en-US")} ${amount === 1 ? unit.slice(0, -1) : unit}`

/** The furthest moment that a date can be, in ms from 1970. */
const furthestMs = 8.64e15

/** A moment in UTC; undefined for a number that cannot be a date, as one of others may be. */
export const isoTime = (at: number): string | undefined =>
  Math.abs(at) <= furthestMs ? new Date(at).toISOString() : undefined
