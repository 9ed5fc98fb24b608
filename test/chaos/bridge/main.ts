/**
 * `npm run chaos -- bridge --seconds 60 --seed N --store both`: a bridge that serves a channel, killed at every change of
 * its store and at random, while the channel's network fails. Says what was done and what was found, which should be
 * nothing.
 */
import { chaosOnStores } from "../onStores.ts"
import { runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"

/** The exit code. */
export const chaosOfBridge = (args: ReadonlyArray<string>): Promise<number> =>
  chaosOnStores("bridge", args, async (options) => {
    const { logs, lingered } = await runCampaign(options)
    return { figures: { kills: logs.kills, lingered, ...figuresOf(logs) }, findings: findingsOf(logs) }
  })
