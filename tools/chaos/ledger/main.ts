/**
 * `npm run chaos -- ledger --seconds 60 --seed N --store both`: hosts whose runs spend on one store with budgets, killed and
 * stopped at random. Says what was done and what was found, which should be nothing.
 */
import { chaosOnStores } from "../onStores.ts"
import { runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"

/** The exit code. */
export const chaosOfLedger = (args: ReadonlyArray<string>): Promise<number> =>
  chaosOnStores("ledger", args, async (options) => {
    const { stops, lingered, ...logs } = await runCampaign(options)
    return { figures: { stops, lingered, ...figuresOf(logs) }, findings: findingsOf(logs) }
  })
