/** Machines of a cluster: each has a home of its own, a runner at a time, and links that can be broken. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startOf } from "../processes.ts"
import { below } from "../serve/figures.ts"
import type { StoreRoom } from "../storeRoom.ts"
import { type RunnerJob, serving } from "./jobs.ts"
import { type Link, openLink } from "./link.ts"
import type { Disturbance } from "./plan.ts"

const script = fileURLToPath(new URL("runner.ts", import.meta.url))

/** A runner that is to leave has open turns to wait for, and a database that may be gone. */
const leaveMs = 40_000

export interface Site {
  readonly room: StoreRoom
  readonly databasePort: number
  /** URL of the database, by a port of this machine. */
  readonly urlBy: (port: number) => string
  readonly problems: Array<string>
}

export interface Machine {
  /** Folder of its CLIs' sessions, and of their log. */
  readonly directory: string
  readonly ready: () => Promise<unknown>
  /** Resolves when it is over. */
  readonly disturb: (disturbance: Disturbance) => Promise<void>
  /** The runner leaves in good order. */
  readonly end: () => Promise<void>
  readonly close: () => void
}

/** Child processes are stopped after their parent and continued before it, so that it sees all of them paused. */
const freezing = (pid: number, all: boolean) => {
  const frozen: Array<{ readonly pid: number; readonly start: string | undefined }> = []
  const signalTo = (to: number, name: NodeJS.Signals) => {
    try {
      process.kill(to, name)
    } catch {
      // It is gone.
    }
  }
  for (const each of [pid, ...(all ? below(pid) : [])]) {
    frozen.push({ pid: each, start: startOf(each) })
    signalTo(each, "SIGSTOP")
  }
  return () => {
    for (const { pid: each, start } of frozen.toReversed()) if (startOf(each) === start) signalTo(each, "SIGCONT")
  }
}

/** A free port: of a link that is closed again. */
const freePort = async () => {
  const link = await openLink(0)
  link.close()
  return link.port
}

export const startMachine = async (number: number, site: Site): Promise<Machine> => {
  const { room, problems } = site
  const name = `machine-${number}`
  const home = join(room.root, name)
  const directory = join(home, "sessions")
  mkdirSync(directory, { recursive: true })
  const log = openSync(join(room.root, `${name}.log`), "a")
  const port = await freePort()
  const links: Readonly<Record<"peers" | "database", Link>> = {
    peers: await openLink(port),
    database: await openLink(site.databasePort)
  }
  const job: RunnerJob = {
    ...{ home: name, directory, database: site.urlBy(links.database.port) },
    listen: { host: "127.0.0.1", port },
    advertise: { host: "127.0.0.1", port: links.peers.port }
  }
  const env = { ...room.env, HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") }
  let runner: { readonly child: ChildProcess; readonly ready: Promise<unknown>; readonly gone: Promise<unknown> }
  let isExpected = false

  const start = () => {
    isExpected = false
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, JSON.stringify(job)], {
      cwd: room.work,
      env,
      stdio: ["pipe", "pipe", log]
    })
    child.stdin?.on("error", () => {})
    let isReady = false
    let tell = () => {}
    const serves = new Promise<void>((resolve) => {
      tell = resolve
    })
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line !== serving) return writeSync(log, `${line}\n`)
        isReady = true
        tell()
      })
    }
    const gone = once(child, "close").then(async ([code, signal]) => {
      if (isExpected) return
      // Without a database it does not begin, and says so: who looks after it starts it again.
      if (isReady || code !== 1) problems.push(`the runner of ${name} left by itself with ${code ?? signal}`)
      await sleep(500)
      if (!isExpected) start()
    })
    const ready = Promise.race([serves, gone])
    runner = { child, ready, gone }
  }
  start()

  const leave = async (signal: "SIGKILL" | "SIGTERM") => {
    const { child, gone } = runner
    isExpected = true
    child.kill(signal)
    const isGone = await Promise.race([gone.then(() => true), sleep(leaveMs, false, { ref: false })])
    if (isGone) return
    problems.push(`the runner of ${name} did not leave within ${leaveMs / 1000} s`)
    child.kill("SIGKILL")
    await gone
  }

  return {
    directory,
    ready: () => runner.ready,
    disturb: async (disturbance) => {
      if (disturbance.is === "kill" || disturbance.is === "term") {
        await leave(disturbance.is === "kill" ? "SIGKILL" : "SIGTERM")
        await sleep(disturbance.downMs)
        start()
      }
      if (disturbance.is === "freeze" || disturbance.is === "freeze all") {
        const thaw = freezing(runner.child.pid ?? 0, disturbance.is === "freeze all")
        await sleep(disturbance.ms)
        thaw()
      }
      if (disturbance.is === "cut" || disturbance.is === "stall") {
        const link = links[disturbance.link]
        link.set(disturbance.is === "cut" ? "cut" : "stalled")
        await sleep(disturbance.ms)
        link.set("open")
      }
    },
    end: () => leave("SIGTERM"),
    close: () => {
      isExpected = true
      runner.child.kill("SIGKILL")
      for (const link of Object.values(links)) link.close()
    }
  }
}
