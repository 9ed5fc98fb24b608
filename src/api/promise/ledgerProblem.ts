/** Whether the options of a ledger can be used; at once, before anything is started. */
import { Result } from "effect"
import type { LedgerOptions } from "../../contract/LedgerOptions.ts"
import { checkOptions } from "../../money/ledger/checkOptions.ts"

/** Names the option, the problem and the cure. */
export const ledgerProblem = (options: LedgerOptions, hasStore: boolean): string | undefined => {
  const [given] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (given === undefined) return undefined
  if (!hasStore) return `${given}: needs a store: make the agent with { store: await openStore() }`
  const checked = checkOptions(options)
  return Result.isFailure(checked) ? checked.failure.message : undefined
}
