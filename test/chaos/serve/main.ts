/**
 * `npm run chaos -- serve --seconds 600 --seed N`: the host of the page for a week in ten minutes. Says what was done and
 * what was found, which should be nothing.
 */
import { parseOptions } from "../options.ts"
import { runCampaign } from "./campaign.ts"
import { findingsOf } from "./checks.ts"

/** The exit code. */
export const chaosOfServe = async (args: ReadonlyArray<string>): Promise<number> => {
  const options = parseOptions(args, Math.floor(Math.random() * 1_000_000))
  if (options === undefined) {
    process.stderr.write("npm run chaos -- serve [--seconds 60] [--seed N]\n")
    return 2
  }
  const { seconds, seed } = options
  const logs = await runCampaign({ seconds, seed })
  const findings = findingsOf(logs)
  const [before, after] = logs.held ?? []
  const figures = {
    ...{ seed, seconds, conversations: logs.visits.length, messages: logs.done.size, kills: logs.kills },
    interruptions: logs.visits.reduce((sum, { choices }) => sum + choices.length, 0),
    "at rest": `${JSON.stringify(before)} then ${JSON.stringify(after)}`,
    findings: findings.length
  }
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(18)}${value}\n`)
  for (const { kind, detail } of findings.slice(0, 50)) process.stdout.write(`  ${kind}: ${detail}\n`)
  return findings.length === 0 ? 0 : 1
}
