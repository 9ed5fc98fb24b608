/**
 * `npm run chaos -- serve --seconds 600 --seed N`: the host of the page for a week in ten minutes. Says what was done and
 * what was found, which should be nothing.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { parseOptions } from "../options.ts"
import { runCampaign } from "./campaign.ts"
import { findingsOf, verdictsOf } from "./checks.ts"
import { inNamespace, mountFlags } from "./disk.ts"
import type { Held } from "./figures.ts"

const drawHeld = ({ rssMiB, heapMiB, descriptors, processes, visits }: Held): string =>
  `${heapMiB} MiB alive, ${rssMiB} MiB resident, ${descriptors} descriptors, ${processes} processes, ${visits} conversations`

/** The same in a mount namespace of its own. */
const inMounts = async (flags: ReadonlyArray<string>, args: ReadonlyArray<string>): Promise<number> => {
  const program = [process.execPath, process.argv[1] ?? "", "serve", ...args]
  const child = spawn("unshare", [...flags, ...program], {
    stdio: "inherit",
    env: { ...process.env, [inNamespace]: "1" }
  })
  const [code] = await once(child, "close")
  return typeof code === "number" ? code : 1
}

/** The exit code. */
export const chaosOfServe = async (args: ReadonlyArray<string>): Promise<number> => {
  const options = parseOptions(args, Math.floor(Math.random() * 1_000_000))
  if (options === undefined) {
    process.stderr.write("npm run chaos -- serve [--seconds 60] [--seed N]\n")
    return 2
  }
  const hasDisk = process.env[inNamespace] !== undefined
  const flags = hasDisk ? undefined : mountFlags()
  if (flags !== undefined) return inMounts(flags, args)
  if (!hasDisk) process.stderr.write("SKIPPED: no disk can be mounted here, so none is filled\n")
  const { seconds, seed } = options
  const logs = await runCampaign({ seconds, seed, hasDisk })
  const findings = findingsOf(logs)
  const { visits, seasons } = logs
  const figures = {
    ...{ seed, seconds, conversations: visits.length, messages: logs.done.size, kills: logs.kills },
    interruptions: visits.reduce((sum, { choices }) => sum + choices.length, 0),
    "full disks": seasons.full,
    "clock jumps": seasons.jump,
    "told of full disks": `${visits.filter(({ excuses }) => excuses.length > 0).length} people, ${logs.warnings} warnings`,
    "shown on demand": visits.reduce((sum, { shows }) => sum + shows, 0),
    ...Object.fromEntries(logs.held?.map((held, at) => [`after third ${at + 1}`, drawHeld(held)]) ?? []),
    rows: JSON.stringify(logs.held?.at(-1)?.rows),
    "300 days later": JSON.stringify(logs.old),
    ...verdictsOf(findings),
    findings: findings.length
  }
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(20)}${value}\n`)
  for (const { kind, detail } of findings.slice(0, 50)) process.stdout.write(`  ${kind}: ${detail}\n`)
  return findings.length === 0 ? 0 : 1
}
