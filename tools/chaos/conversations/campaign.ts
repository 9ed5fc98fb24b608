/** Hosts on one store, killed and stopped at random; afterwards all is read that they have left. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeDice } from "../dice.ts"
import { clockMs, linesOf, runHosts } from "../hosts.ts"
import type { StorePlace } from "../storeHost.ts"
import { type CampaignOptions, inStoreRoom, integrityOf, layerOf } from "../storeRoom.ts"
import type { Job } from "./host.ts"
import type { CliLine, HostLine, Logs, TurnRow } from "./logs.ts"

const script = fileURLToPath(new URL("host.ts", import.meta.url))

const isCliOf = (pid: string, directory: string) => {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`--directory=${directory}`) &&
      !/ [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
    )
  } catch {
    return false
  }
}

const living = (directory: string) =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isCliOf(name, directory))

const readStore = (place: StorePlace) =>
  Effect.gen(function* () {
    const store = yield* Store
    const rows = yield* store.read(store.sql<TurnRow>`select turn_id, state from turns`)
    return { rows: rows.map((row) => ({ ...row })), integrity: yield* integrityOf(store) }
  }).pipe(Effect.provide(Layer.fresh(layerOf(place))), Effect.runPromise)

export const runCampaign = (
  options: CampaignOptions
): Promise<Logs & { readonly stops: number; readonly lingered: number }> =>
  inStoreRoom(options, async ({ root, work, store, env }) => {
    const { seconds, seed, hosts: width = 6 } = options
    const directory = join(root, "sessions")
    mkdirSync(directory)
    const text: Array<HostLine> = []
    const { kills, ...counts } = await runHosts<HostLine>({
      script,
      jobOf: (number): Job => ({ seed, number, store, directory, conversations: 3 }),
      cwd: work,
      env,
      seconds,
      width,
      dice: makeDice(seed, 0),
      lifeMs: [60, 2_500],
      mayWarn: /level=WARN .*the store/,
      onLine: (line) => void text.push(line),
      onProblem: (problem) => void text.push({ is: "broke", at: clockMs(), problem })
    })
    const deadline = performance.now() + 10_000
    while (living(directory).length > 0 && performance.now() < deadline) await sleep(50)
    const survivors = living(directory).length
    const files = readdirSync(directory).filter((name) => name.endsWith(".json"))
    const histories = new Map(
      files.map((name): [string, ReadonlyArray<string>] => [
        name.slice(0, -".json".length),
        JSON.parse(readFileSync(join(directory, name), "utf8"))
      ])
    )
    return {
      cli: linesOf<CliLine>(join(directory, "log.ndjson")),
      hosts: text,
      histories,
      ...(await readStore(store)),
      kills,
      survivors,
      ...counts
    }
  })
