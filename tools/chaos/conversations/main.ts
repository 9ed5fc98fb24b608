/**
 * `npm run chaos -- sessions --seconds 60 --seed N --store both`: hosts that go on with conversations on one store, killed
 * and stopped at random. Says what was done and what was found, which should be nothing.
 */
import { chaosOnStores } from "../onStores.ts"
import { runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"

/** The exit code. */
export const chaosOfSessions = (args: ReadonlyArray<string>): Promise<number> =>
  chaosOnStores("sessions", args, async (options) => {
    const { stops, lingered, ...logs } = await runCampaign(options)
    return { figures: { stops, lingered, ...figuresOf(logs) }, findings: findingsOf(logs) }
  })
