// `--budget day=5`: what it means, and what is said of one that is wrong.
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { budgetOf, budgetsOf } from "../../src/program/budgetFlags.ts"

describe("a budget of the command line", () => {
  it.each([
    ["day=5", "day", 5],
    ["run=0.25", "run", 0.25],
    ["month=.5", "month", 0.5],
    ["total=1000", "total", 1000]
  ] as const)("%s", (text, window, usd) => {
    expect(budgetOf(text)).toEqual(Result.succeed({ name: window, window, usd, onExceeded: "stop" }))
  })

  it.each([
    ["5", "the window is missing: run=5, day=5, month=5 or total=5"],
    ["day", "run=5, day=5, month=5 or total=5, in US dollars"],
    ["day=5=6", "run=5, day=5, month=5 or total=5, in US dollars"],
    ["week=5", "the window is not known: run=5, day=5, month=5 or total=5"],
    ["=5", "the window is not known: run=5, day=5, month=5 or total=5"],
    ["day=", "the amount is missing: day=5 (in a shell, $5 is a variable)"],
    ["day=0", "must be more than 0: day=5"],
    ["day=-1", "must be more than 0: day=5"],
    ["day=5EUR", "budgets are in US dollars: day=5"],
    ["day=€5", "budgets are in US dollars, without a sign: day=5"],
    ["day=$5", "budgets are in US dollars, without a sign: day=5"],
    ["day=NaN", "budgets are in US dollars, without a sign: day=5"],
    ["day=Infinity", "budgets are in US dollars, without a sign: day=5"],
    ["day=five", "budgets are in US dollars, without a sign: day=5"],
    ["day=1e999", "budgets are in US dollars, without a sign: day=5"]
  ])("%s is refused", (text, problem) => {
    expect(budgetOf(text)).toEqual(Result.fail(problem))
  })

  it("goes before a configured one of the same name; the others hold as well", () => {
    const day = { name: "day", window: "day", usd: 5 } as const
    const month = { name: "month", window: "month", usd: 80 } as const
    const flag = Result.getOrThrow(budgetOf("day=1"))
    expect(budgetsOf([flag], [day, month])).toEqual(Result.succeed([flag, month]))
    expect(Result.mapError(budgetsOf([flag, flag]), ({ message }) => message)).toEqual(
      Result.fail("--budget: names day twice: keep one of them")
    )
  })
})
