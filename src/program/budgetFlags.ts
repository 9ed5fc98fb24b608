/** `--budget day=5`: what a run may spend, on the command line. */
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import { InvalidParams } from "../contract/AgentError.ts"
import type { Budget, BudgetWindow } from "../contract/Budget.ts"

const windows: ReadonlyArray<BudgetWindow> = ["run", "day", "month", "total"]
const forms = "run=5, day=5, month=5 or total=5"

const problemOf = (text: string): string | undefined => {
  const [window = "", amount, ...more] = text.split("=")
  if (amount === undefined || more.length > 0)
    return /^[\d.$]+$/.test(text) ? `the window is missing: ${forms}` : `${forms}, in US dollars`
  if (!windows.some((known) => known === window)) return `the window is not known: ${forms}`
  if (amount.trim() === "") return `the amount is missing: ${window}=5 (in a shell, $5 is a variable)`
  const number = /^([+-]?\d*\.?\d+)\s*(\D*)$/.exec(amount)
  if (number === null) return `budgets are in US dollars, without a sign: ${window}=5`
  if (number[2] !== "") return `budgets are in US dollars: ${window}=${number[1]}`
  return Number(amount) > 0 ? undefined : `must be more than 0: ${window}=5`
}

/** A budget on the command line is strict: it stops a run that needs more. */
export const budgetOf = (text: string): Result.Result<Budget, string> => {
  const problem = problemOf(text)
  if (problem !== undefined) return Result.fail(problem)
  const [name = "", amount] = text.split("=")
  const window = windows.find((known) => known === name) ?? "run"
  return Result.succeed({ name: window, window, usd: Number(amount), onExceeded: "stop" })
}

export const budget = Flag.String("budget").pipe(
  Flag.filterMap(
    (text) => Result.getSuccess(budgetOf(text)),
    (text) => Option.getOrElse(Result.getFailure(budgetOf(text)), () => forms)
  ),
  Flag.withMetavar("W=USD"),
  Flag.withDescription("What may be spent in this run, day or month, or in all: run=2, day=5, month=80; repeatable"),
  Flag.atLeast(0)
)

/** Flags replace configured budgets of the same name; two flags for one window are a mistake. */
export const budgetsOf = (
  flags: ReadonlyArray<Budget>,
  configured: ReadonlyArray<Budget> = []
): Result.Result<ReadonlyArray<Budget>, InvalidParams> => {
  const twice = flags.find(({ name }, index) => flags.findIndex((other) => other.name === name) < index)
  if (twice !== undefined) {
    return Result.fail(
      new InvalidParams({ option: "--budget", problem: `names ${twice.name} twice: keep one of them` })
    )
  }
  return Result.succeed([...flags, ...configured.filter(({ name }) => !flags.some((flag) => flag.name === name))])
}
