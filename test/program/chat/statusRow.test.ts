/** The last row of a chat: what it drops where it is narrow, and what never. */
import { CliOutput } from "effect/cli"
import { expect, it } from "vitest"
import type { BudgetState } from "../../../src/contract/Budget.ts"
import { begin } from "../../../src/program/blocks.ts"
import { type Facts, nearest, statusRow } from "../../../src/program/chat/statusRow.ts"

const budget = (name: string, spent: number, reserved = 0): BudgetState => ({
  budget: name,
  per: "all",
  window: "day",
  unit: "usd",
  limit: 5,
  spent,
  reserved
})

const facts: Facts = { mode: "bypass", model: "opus-5-5", costUsd: 0.42, budget: budget("day", 3.1) }
const transcript = {
  ...begin("claude"),
  session: { type: "session", sessionId: "s", workingDirectory: "/home/ann/code/shop" } as const
}

it.each([
  [120, "claude · opus-5-5 · BYPASS · $0.42 · day $3.10 of $5.00 · ~/code/shop · /help"],
  [75, "claude · opus-5-5 · BYPASS · $0.42 · day $3.10 of $5.00 · ~/code/shop"],
  [60, "claude · opus-5-5 · BYPASS · $0.42 · day $3.10 of $5.00"],
  [40, "claude · opus-5-5 · BYPASS · $0.42"],
  [30, "opus-5-5 · BYPASS · $0.42"],
  [20, "opus-5-5 · BYPASS"],
  [10, "BYPASS"],
  [4, "BYPASS"]
])("at %i columns", (columns, row) => {
  expect(statusRow(transcript, facts, { live: false, columns }, "/home/ann")).toBe(row)
  if (columns > 6) expect(CliOutput.displayWidth(row)).toBeLessThan(columns)
})

it("has nothing of the terminal's own from an agent", () => {
  const row = statusRow(begin("claude"), { ...facts, model: "a\x1b[31m\nb" }, { live: false, columns: 80 })
  expect(row).not.toMatch(/[\x1b\n]/)
})

it("names the budget of which most is spent or reserved", () => {
  expect(nearest([])).toBeUndefined()
  expect(nearest([budget("a", 1), budget("b", 1, 3), budget("c", 2)])?.budget).toBe("b")
})
