/**
 * `npm run chaos -- bridge --seconds 60 --seed N --store both`: a bridge that serves a channel, killed at every change of
 * its store and at random, while the channel's network fails. Says what was done and what was found, which should be
 * nothing. `npm run chaos -- telegram`: the same on the channel of Telegram, where every method of its API fails.
 */
import { chaosOnStores } from "../onStores.ts"
import { runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"
import { laneKinds, telegramKinds } from "./plan.ts"

const campaigns = { bridge: laneKinds, telegram: telegramKinds } as const

/** The exit code. */
export const chaosOfBridge = (name: keyof typeof campaigns, args: ReadonlyArray<string>): Promise<number> =>
  chaosOnStores(name, args, async (options) => {
    const { logs, lingered } = await runCampaign(options, campaigns[name])
    return { figures: { kills: logs.kills, lingered, ...figuresOf(logs) }, findings: findingsOf(logs) }
  })
