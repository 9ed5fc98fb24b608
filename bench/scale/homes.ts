/** The homes of the measurement: processes, each with a state directory of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export interface HomeJob {
  readonly home: string
  readonly url: string
  /** Folder of the program that is its agent. */
  readonly directory: string
}

export interface HomeMemory {
  readonly rss: number
  readonly heapUsed: number
}

export interface HomeProcess {
  readonly pid: number
  /** Reachable memory: after garbage collections. */
  readonly memory: () => Promise<HomeMemory>
  readonly end: () => Promise<void>
}

const host = fileURLToPath(new URL("hosts/home.ts", import.meta.url))

const going = new Set<ChildProcess>()

/** However the measurement ends. */
export const killHomes = () => {
  for (const child of going) child.kill("SIGKILL")
}

export const startHome = async (root: string, name: string, url: string): Promise<HomeProcess> => {
  const at = join(root, name)
  const directory = join(at, "sessions")
  for (const folder of ["state", "home", "tmp", "sessions"]) mkdirSync(join(at, folder), { recursive: true })
  const job: HomeJob = { home: name, url, directory }
  const child = spawn(process.execPath, ["--expose-gc", host, JSON.stringify(job)], {
    cwd: at,
    env: {
      PATH: process.env.PATH,
      HOME: join(at, "home"),
      TMPDIR: join(at, "tmp"),
      XDG_STATE_HOME: join(at, "state"),
      XDG_CONFIG_HOME: join(at, "home")
    },
    stdio: ["pipe", "pipe", "inherit"]
  })
  going.add(child)
  const left = new Promise<void>((resolve) => {
    child.once("close", () => {
      going.delete(child)
      resolve()
    })
  })
  const waiting: Array<(line: string) => void> = []
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("{")) waiting.shift()?.(line)
  })
  const next = () =>
    Promise.race([
      new Promise<string>((resolve) => waiting.push(resolve)),
      left.then((): string => {
        throw new Error(`the home ${name} has left`)
      })
    ])
  await next()
  return {
    pid: child.pid ?? 0,
    memory: async () => {
      child.stdin.write("memory\n")
      return JSON.parse(await next())
    },
    end: () => {
      child.stdin.end()
      return left
    }
  }
}

/** CPU time of a process so far, in ms: the kernel counts in hundredths of a second. */
export const cpuMsOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0 // it has just left
  }
}
