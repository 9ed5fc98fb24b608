/**
 * One cell of the table: a directory with a stub and its fault, a host process that runs one package on it, and what
 * can be seen of both from outside. Whatever is left of it at the end is killed, pid by pid.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { lay, pathOf } from "./layout.ts"
import { idOf, type Peer } from "./peers.ts"
import { carriers, descendants, identify, isAlive, type Known, kill, memoryOf } from "./processes.ts"

export interface Told {
  readonly what: string
  readonly at: number
  readonly told: string
  readonly bytes: number
  readonly alpha: number
  readonly omega: number
  readonly calls: number
  readonly outputs: number
  readonly longest: number
  readonly notices: ReadonlyArray<string>
}

export interface Settings {
  readonly fault: string
  readonly timeoutMs?: number
  /** The consumer takes one item and then none until it is told to. */
  readonly pauses?: boolean
  /** The consumer leaves at the result instead of reading to the end. */
  readonly leaves?: boolean
}

/** Milliseconds until it holds; undefined when it did not in time. */
export const until = async (holds: () => boolean, limitMs: number): Promise<number | undefined> => {
  const from = performance.now()
  while (!holds()) {
    if (performance.now() - from > limitMs) return undefined
    await sleep(50)
  }
  return performance.now() - from
}

const opened = new Set<() => Promise<void>>()

export const openCell = async (peer: Peer, settings: Settings) => {
  const { directory, command } = lay(peer, settings.fault)
  const { fault: _, ...forHost } = settings
  const task = { ...forHost, peer: idOf(peer), command, directory: join(directory, "work") }
  const host: ChildProcess = spawn(process.execPath, ["--expose-gc", pathOf("host.ts"), JSON.stringify(task)], {
    cwd: join(directory, "work"),
    stdio: ["pipe", "ignore", "pipe", "pipe"],
    env: {
      PATH: `${join(directory, "bin")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: join(directory, "home"),
      TMPDIR: join(directory, "tmp"),
      REINS_BENCH_CELL: directory
    }
  })
  const reported: Array<Told> = []
  const known: Array<Known> = []
  let stderr = ""
  const channel = host.stdio[3] as Readable // a pipe by the line above
  createInterface({ input: channel }).on("line", (line) => reported.push(JSON.parse(line)))
  host.stderr?.on("data", (chunk) => (stderr += String(chunk)))
  host.stdin?.on("error", () => {})
  const left = new Promise<void>((resolve) => host.once("exit", () => resolve()))

  /** The lines that are complete. */
  const fileOf = (name: string): ReadonlyArray<string> => {
    try {
      return readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1)
    } catch {
      return []
    }
  }
  /** The processes of the run. What the stub has noted is identified at the first look. */
  const look = () => {
    for (const line of fileOf("pids").slice(known.filter(({ role }) => !role.startsWith("other ")).length)) {
      const [role = "", pid] = line.split(" ")
      known.push(identify(role, Number(pid)))
    }
    return known
  }
  const rolesOf = (some: ReadonlyArray<Known>) => [...new Set(some.map(({ role }) => role))]
  const pid = host.pid ?? 0
  const first = (what: string) => reported.find((each) => each.what === what)

  const close = async () => {
    look()
    const rest = [...descendants(pid), ...known]
    host.kill("SIGKILL")
    await left
    for (const each of [...rest, ...carriers(`REINS_BENCH_CELL=${directory}`)]) kill(each)
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    opened.delete(close)
  }
  opened.add(close)
  // Its modules are loaded: from here on it is the package that is waited for.
  await until(() => first("start") !== undefined || host.exitCode !== null, 60_000)

  return {
    host,
    /** The roles of those that live. */
    live: () => rolesOf(look().filter(isAlive)),
    starts: () => look().filter(({ role }) => role === "cli").length,
    isReady: () => look().some(({ role }) => role === "ready"),
    /** Also counts what the package itself has started beside the CLI. */
    lookForOthers: () => {
      look()
      const others = descendants(pid).filter((each) => known.every((other) => other.pid !== each.pid))
      known.push(...others.map((each) => ({ ...each, role: `other ${each.role}` })))
    },
    say: (what: string) => host.stdin?.write(`${what}\n`),
    told: first,
    /** How the host fell, if it did so by itself. */
    crash: () => {
      if (host.exitCode === null && host.signalCode === null) return undefined
      const line = stderr.split("\n").find((each) => /^\S*(Error|error)\b.*:|^\[?\w*Error/.test(each))
      return `host crashes: ${line ?? `exit ${host.exitCode ?? host.signalCode}`}`.replaceAll(directory, "…")
    },
    /** MB that the host holds after a collection of garbage. */
    held: async () => {
      const count = reported.filter(({ what }) => what === "held").length
      host.stdin?.write("collect\n")
      await until(() => reported.filter(({ what }) => what === "held").length > count, 20_000)
      return (reported.findLast(({ what }) => what === "held")?.bytes ?? Number.NaN) / 1e6
    },
    /** Lets the stub begin with what is to be measured. */
    go: () => writeFileSync(join(directory, "go"), ""),
    progress: () => fileOf("progress").at(-1) ?? "0",
    memory: () => memoryOf(pid),
    [Symbol.asyncDispose]: close
  }
}

export type Cell = Awaited<ReturnType<typeof openCell>>

/** For a measurement that is broken off: nothing of it is to be left. */
export const closeAll = () => Promise.all([...opened].map((close) => close()))
