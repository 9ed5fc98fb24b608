/** A campaign on a store, by its options: on SQLite, on PostgreSQL, or on one after the other. */
import { parseArgs } from "node:util"
import { Effect, Redacted } from "effect"
import { hasPostgres, makeDatabase } from "../../test/kit/postgres.ts"

export interface StoreOptions {
  readonly seconds: number
  readonly seed: number
  readonly store: "sqlite" | "postgres"
  /** URL of an empty database. */
  readonly url?: string
}

export interface Outcome {
  readonly figures: Readonly<Record<string, unknown>>
  readonly findings: ReadonlyArray<{ readonly kind: string; readonly detail: string }>
}

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

/** The exit code. `name`: that of the campaign on the command line. */
export const chaosOnStores = async (
  name: string,
  args: ReadonlyArray<string>,
  run: (options: StoreOptions) => Promise<Outcome>
): Promise<number> => {
  const options = parse(args)
  if (options === undefined) {
    process.stderr.write(`npm run chaos -- ${name} [--seconds 60] [--seed N] [--store sqlite|postgres|both]\n`)
    return 2
  }
  const { seconds, seed, kinds } = options
  let found = 0
  for (const store of kinds) {
    if (store === "postgres" && !hasPostgres) continue
    const url = store === "postgres" ? Redacted.value((await Effect.runPromise(makeDatabase)).url) : undefined
    const { figures, findings } = await run({ seconds, seed, store, ...(url === undefined ? {} : { url }) })
    found += findings.length
    for (const [figure, value] of Object.entries({ seed, seconds, store, ...figures, findings: findings.length })) {
      process.stdout.write(`${figure.padEnd(18)}${typeof value === "object" ? JSON.stringify(value) : value}\n`)
    }
    for (const { kind, detail } of findings.slice(0, 50)) process.stdout.write(`  ${kind}: ${detail}\n`)
  }
  return found === 0 ? 0 : 1
}
