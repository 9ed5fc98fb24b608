/** The agent of a command line, with its budgets, and what writes its usage to the ledger. */
import { Effect, Option, Result } from "effect"
import type { Budget } from "../../contract/Budget.ts"
import { budgetsOf } from "../budgetFlags.ts"
import { type Chosen, type ConfiguredFlags, chooseAgent } from "../configured.ts"
import { makeRecording, type Recording } from "./recording.ts"

export interface RecordedFlags extends ConfiguredFlags {
  readonly budget: ReadonlyArray<Budget>
}

export interface Recorded extends Chosen {
  readonly recording: Recording
}

/** The demo agent spends nothing; it is recorded where somebody tries a budget with it. */
export const recordedAgent = Effect.fnUntraced(function* (flags: RecordedFlags) {
  const { agent, budget, isKept } = flags
  const all = yield* chooseAgent({ ...flags, isKept: isKept || budget.length > 0 })
  const budgets = budgetsOf(budget, all.configuration.budgets)
  const problem = all.problem ?? Option.getOrUndefined(Result.getFailure(budgets))
  const isDemo = Option.contains(agent, "demo")
  const recording = yield* makeRecording({
    cli: all.chosen.cli,
    configuration: all.configuration,
    budgets: problem === undefined && !(isDemo && budget.length === 0) ? Result.getOrElse(budgets, () => []) : [],
    isWanted: problem === undefined && !isDemo && all.configuration.usage !== false
  })
  const recorded: Recorded = { ...all, problem, recording }
  return recorded
})
