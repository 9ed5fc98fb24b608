/** Whether the options of a ledger can be used; each problem names the option and the cure. Pure. */
import { Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { parseAccount } from "../../contract/AgentExecuteParams.ts"
import type { LedgerOptions } from "../../contract/Usage.ts"
import { priceProblems } from "../prices/checkPrices.ts"
import { checkBudgets } from "./budgets/definition.ts"

const checkPrices = (prices: unknown): Result.Result<void, InvalidParams> => {
  const [first] = prices === undefined ? [] : priceProblems(prices)
  if (first === undefined) return Result.void
  return Result.fail(new InvalidParams({ option: ["prices", ...first.path].join("."), problem: first.problem }))
}

export const checkOptions = ({ budgets, zone, account, prices }: LedgerOptions): Result.Result<void, InvalidParams> =>
  Result.gen(function* () {
    yield* checkBudgets({ budgets, zone })
    yield* parseAccount({ account })
    yield* checkPrices(prices)
  })
