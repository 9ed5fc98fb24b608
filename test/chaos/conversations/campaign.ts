/** Hosts on one store, killed and stopped at random; afterwards all is read that they have left. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { Store } from "../../../src/store/Store.ts"
import { makeDice } from "../dice.ts"
import { clockMs, linesOf, runHosts } from "../hosts.ts"
import type { Job } from "./host.ts"
import type { CliLine, HostLine, Logs, TurnRow } from "./logs.ts"

const script = fileURLToPath(new URL("host.ts", import.meta.url))

export interface CampaignOptions {
  readonly seconds: number
  readonly seed: number
  readonly store: "sqlite" | "postgres"
  /** Of an empty database. */
  readonly url?: string
  readonly hosts?: number
}

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

const readStore = (place: Job["store"]) => {
  const layer = "url" in place ? Store.layerPostgres({ url: place.url }) : Store.layerFile(place)
  return Effect.gen(function* () {
    const { read, sql, kind } = yield* Store
    const rows: ReadonlyArray<TurnRow> = yield* read(sql<TurnRow>`select turn_id, state from turns`)
    const [checked] = kind === "file" ? yield* read(sql<{ integrity_check: string }>`pragma integrity_check`) : []
    return { rows: rows.map((row) => ({ ...row })), integrity: checked?.integrity_check ?? "ok" }
  }).pipe(Effect.provide(Layer.fresh(layer)), Effect.runPromise)
}

export const runCampaign = async ({
  seconds,
  seed,
  store: kind,
  url,
  hosts: width = 6
}: CampaignOptions): Promise<Logs & { readonly stops: number; readonly lingered: number }> => {
  const root = mkdtempSync(join(tmpdir(), "chaos-"))
  const directory = join(root, "sessions")
  const work = join(root, "work")
  for (const each of [directory, work]) mkdirSync(each)
  const store = kind === "postgres" && url !== undefined ? { url } : { directory: join(root, "store") }
  const dice = makeDice(seed, 0)
  const said: Array<HostLine> = []
  const env = {
    ...process.env,
    HOME: root,
    TMPDIR: work,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config")
  }

  try {
    const { kills, stops, lingered } = await runHosts<HostLine>({
      script,
      jobOf: (number): Job => ({ seed, number, store, directory, conversations: 3 }),
      cwd: work,
      env,
      seconds,
      width,
      dice,
      lifeMs: [60, 2_500],
      mayWarn: /level=WARN .*the store/,
      onLine: (line) => void said.push(line),
      onProblem: (problem) => void said.push({ is: "broke", at: clockMs(), problem })
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
      hosts: said,
      histories,
      ...(await readStore(store)),
      kills,
      survivors,
      stops,
      lingered
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
