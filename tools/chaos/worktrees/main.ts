/**
 * `npm run chaos -- worktrees --seconds 120 --seed N`: two conversations on one repository with a person's own work in it,
 * whose hosts are killed. Says what was done and what was found, which should be nothing.
 */
import { parseArgs } from "node:util"
import { runCampaign } from "./campaign.ts"

const parse = (args: ReadonlyArray<string>) => {
  const string = { type: "string" } as const
  try {
    const { values } = parseArgs({ args: [...args], options: { seconds: string, seed: string } })
    const { seconds = "60", seed = String(Math.floor(Math.random() * 1_000_000)) } = values
    return /^\d+$/.test(seconds) && /^\d+$/.test(seed) ? { seconds: Number(seconds), seed: Number(seed) } : undefined
  } catch {
    return undefined
  }
}

/** The exit code. */
export const chaosOfWorktrees = async (args: ReadonlyArray<string>): Promise<number> => {
  const options = parse(args)
  if (options === undefined) {
    process.stderr.write("npm run chaos -- worktrees [--seconds 60] [--seed N]\n")
    return 2
  }
  const { figures, findings } = await runCampaign(options)
  const all = { seed: options.seed, seconds: options.seconds, ...figures, findings: findings.length }
  for (const [figure, value] of Object.entries(all)) {
    process.stdout.write(`${figure.padEnd(18)}${typeof value === "object" ? JSON.stringify(value) : value}\n`)
  }
  for (const { kind, detail } of findings.slice(0, 50)) process.stdout.write(`  ${kind}: ${detail}\n`)
  return findings.length === 0 ? 0 : 1
}
