/**
 * `npm run chaos -- cluster --seconds 60 --seed N`: machines of a cluster on one PostgreSQL server, killed, frozen, ended and
 * cut off from each other and from their database. Says what was done and what was found, which should be nothing.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { hasPostgres } from "../../../test/kit/postgres.ts"
import { type Options, runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"

const parse = (args: ReadonlyArray<string>): Options | undefined => {
  const string = { type: "string" } as const
  try {
    const { values } = parseArgs({ args: [...args], options: { seconds: string, seed: string, logs: string } })
    const { seconds = "60", seed = String(Math.floor(Math.random() * 1_000_000)), logs } = values
    if (!/^\d+$/.test(seconds) || !/^\d+$/.test(seed)) return undefined
    return { seconds: Number(seconds), seed: Number(seed), ...(logs === undefined ? {} : { logs }) }
  } catch {
    return undefined
  }
}

/** The exit code. */
export const chaosOfCluster = async (args: ReadonlyArray<string>): Promise<number> => {
  const options = parse(args)
  if (options === undefined) {
    process.stderr.write("npm run chaos -- cluster [--seconds 60] [--seed N] [--logs DIRECTORY]\n")
    return 2
  }
  if (!hasPostgres) return 0
  const { seconds, seed, logs: place } = options
  const { logs, disturbed, left } = await runCampaign(options)
  const findings = findingsOf(logs)
  const disturbances = Object.fromEntries(
    [...Map.groupBy(disturbed, (name) => name)].map(([name, all]) => [name, all.length])
  )
  const figures = { seed, seconds, disturbances, left, ...figuresOf(logs), findings: findings.length }
  for (const [figure, value] of Object.entries(figures)) {
    process.stdout.write(`${figure.padEnd(18)}${typeof value === "object" ? JSON.stringify(value) : value}\n`)
  }
  for (const { kind, detail } of findings.slice(0, 50)) process.stdout.write(`  ${kind}: ${detail}\n`)
  if (place !== undefined) writeFileSync(join(place, "logs.json"), JSON.stringify({ ...logs, findings }, undefined, 1))
  return findings.length === 0 ? 0 : 1
}
