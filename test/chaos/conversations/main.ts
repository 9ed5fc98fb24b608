/**
 * `npm run chaos -- sessions --seconds 60 --seed N --store both`: hosts that go on with conversations on one store, killed
 * and stopped at random. Says what was done and what was found, which should be nothing.
 */
import { parseArgs } from "node:util"
import { Effect, Redacted } from "effect"
import { hasPostgres, makeDatabase } from "../../kit/postgres.ts"
import { runCampaign } from "./campaign.ts"
import { figuresOf, findingsOf } from "./checks.ts"

const usage = "npm run chaos -- sessions [--seconds 60] [--seed N] [--store sqlite|postgres|both]"

const stores = { sqlite: ["sqlite"], postgres: ["postgres"], both: ["sqlite", "postgres"] } as const

const parse = (args: ReadonlyArray<string>) => {
  const string = { type: "string" } as const
  try {
    const { values } = parseArgs({ args: [...args], options: { seconds: string, seed: string, store: string } })
    const { seconds = "60", seed = String(Math.floor(Math.random() * 1_000_000)), store = "both" } = values
    const isKnown = (name: string): name is keyof typeof stores => Object.hasOwn(stores, name)
    if (!/^\d+$/.test(seconds) || !/^\d+$/.test(seed) || !isKnown(store)) return undefined
    return { seconds: Number(seconds), seed: Number(seed), kinds: stores[store] }
  } catch {
    return undefined
  }
}

/** The exit code. */
export const chaosOfSessions = async (args: ReadonlyArray<string>): Promise<number> => {
  const options = parse(args)
  if (options === undefined) {
    process.stderr.write(`${usage}\n`)
    return 2
  }
  const { seconds, seed, kinds } = options
  let found = 0
  for (const store of kinds) {
    if (store === "postgres" && !hasPostgres) continue
    const url = store === "postgres" ? Redacted.value((await Effect.runPromise(makeDatabase)).url) : undefined
    const { stops, ...logs } = await runCampaign({ seconds, seed, store, ...(url === undefined ? {} : { url }) })
    const findings = findingsOf(logs)
    found += findings.length
    const figures = Object.entries({ seed, seconds, store, stops, ...figuresOf(logs), findings: findings.length })
    for (const [name, value] of figures) {
      process.stdout.write(`${name.padEnd(18)}${typeof value === "object" ? JSON.stringify(value) : value}\n`)
    }
    for (const { kind, detail } of findings.slice(0, 50)) process.stdout.write(`  ${kind}: ${detail}\n`)
  }
  return found === 0 ? 0 : 1
}
