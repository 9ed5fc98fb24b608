/**
 * `npm run chaos -- bridge --seconds 60 --seed N --store both`: a bridge that serves a channel, killed at every change of
 * its store and at random, while the channel's network fails. Says what was done and what was found, which should be
 * nothing. `npm run chaos -- telegram` (or `slack`, `discord`, `whatsapp`): the same on that channel, where every method of the
 * service fails.
 */
import { chaosOnStores } from "../onStores.ts"
import { runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"
import { campaigns } from "./plan.ts"

/** The exit code. */
export const chaosOfBridge = (name: keyof typeof campaigns, args: ReadonlyArray<string>): Promise<number> =>
  chaosOnStores(name, args, async (options) => {
    const { logs, lingered } = await runCampaign(options, campaigns[name])
    return { figures: { kills: logs.kills, lingered, ...figuresOf(logs) }, findings: findingsOf(logs) }
  })
