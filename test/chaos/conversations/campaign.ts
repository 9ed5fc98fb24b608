/** Hosts on one store, killed and stopped at random; afterwards all is read that they have left. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Result } from "effect"
import { Store } from "../../../src/store/Store.ts"
import { makeDice } from "../dice.ts"
import type { Job } from "./host.ts"
import { type CliLine, clockMs, type HostLine, type Kill, type Logs, type TurnRow } from "./logs.ts"

const script = fileURLToPath(new URL("host.ts", import.meta.url))

export interface CampaignOptions {
  readonly seconds: number
  readonly seed: number
  readonly store: "sqlite" | "postgres"
  /** Of an empty database. */
  readonly url?: string
  readonly hosts?: number
}

const linesOf = <A>(file: string): ReadonlyArray<A> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): A => JSON.parse(line))
    : []

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
}: CampaignOptions): Promise<Logs & { readonly stops: number }> => {
  const root = mkdtempSync(join(tmpdir(), "chaos-"))
  const directory = join(root, "sessions")
  const work = join(root, "work")
  for (const each of [directory, work]) mkdirSync(each)
  const store = kind === "postgres" && url !== undefined ? { url } : { directory: join(root, "store") }
  const dice = makeDice(seed, 0)
  const said: Array<HostLine> = []
  const kills: Array<Kill> = []
  let stops = 0
  let started = 0
  let isOver = false
  const all = new Set<ChildProcess>()

  const start = () => {
    const job: Job = { seed, number: ++started, store, directory, conversations: 3 }
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, JSON.stringify(job)], {
      cwd: work,
      env: {
        ...process.env,
        HOME: root,
        TMPDIR: work,
        XDG_STATE_HOME: join(root, "state"),
        XDG_CONFIG_HOME: join(root, "config")
      },
      stdio: ["pipe", "pipe", "pipe"]
    })
    all.add(child)
    const isReady = once(child.stdout, "data")
    createInterface({ input: child.stdout }).on("line", (line) => {
      const read = Result.try((): HostLine => JSON.parse(line))
      if (Result.isSuccess(read)) said.push(read.success) // else the last one of a host that was killed
    })
    let problems = ""
    child.stderr.on("data", (chunk) => {
      problems += chunk
    })
    child.stdin.on("error", () => {})
    const ended = once(child, "close").then(([code]) => {
      all.delete(child)
      if (code !== null && (code !== 0 || problems !== ""))
        said.push({ is: "broke", at: clockMs(), problem: `a host ended with ${code}: ${problems.slice(0, 2_000)}` })
    })
    return { child, isReady, ended }
  }

  /** One after the other in a place of its own. */
  const keepOne = async () => {
    while (!isOver) {
      const { child, isReady, ended } = start()
      await Promise.race([isReady, ended])
      while (!isOver && all.has(child)) {
        await sleep(dice.spread(60, 2_500))
        if (isOver || !all.has(child)) break
        if (dice.chance(0.3)) {
          stops += 1
          child.kill("SIGSTOP")
          await sleep(dice.spread(50, 2_000))
          child.kill("SIGCONT")
        } else {
          kills.push({ at: clockMs(), host: child.pid ?? 0 })
          child.kill("SIGKILL")
          await ended
        }
      }
      child.stdin.end()
      await ended
    }
  }

  try {
    const keeping = Array.from({ length: width }, keepOne)
    await sleep(seconds * 1000)
    isOver = true
    for (const { stdin } of all) stdin?.end()
    await Promise.race([Promise.all(keeping), sleep(60_000)])
    for (const child of all) {
      said.push({ is: "broke", at: clockMs(), problem: "a host did not end within 60 s" })
      child.kill("SIGKILL")
    }
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
      stops
    }
  } finally {
    for (const child of all) child.kill("SIGKILL")
    rmSync(root, { recursive: true, force: true })
  }
}
