/** Whether the options of a ledger can be used; at once, before anything is started. */
import { Result } from "effect"
import { parseAccount } from "../contract/AgentExecuteParams.ts"
import { checkZone } from "../ledger/zone.ts"
import type { LedgerOptions } from "../types/LedgerOptions.ts"

/** Names the option, the problem and the cure. */
export const ledgerProblem = (options: LedgerOptions, hasStore: boolean): string | undefined => {
  const [given] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (given === undefined) return undefined
  if (!hasStore) return `${given}: needs a store: make the agent with { store: await openStore() }`
  const checked = Result.andThen(checkZone(options.zone), parseAccount({ account: options.account }))
  return Result.isFailure(checked) ? checked.failure.message : undefined
}
