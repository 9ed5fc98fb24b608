/** The programs of `examples/`, each as a process of its own: no CLI is on its PATH but the fakes that a test names. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import type { InstalledCli } from "../../src/testing.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export interface ProgramOptions {
  readonly args?: ReadonlyArray<string>
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly fakes?: ReadonlyArray<InstalledCli>
}

export interface Output {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

/** A program at work. */
export interface Started {
  /** The same, unless the program ends first: then an error with all that it has printed. */
  readonly during: <A>(wait: Promise<A>) => Promise<A>
  /** The match, as soon as its output matches. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Its end, after this signal if there is one. */
  readonly end: (signal?: "SIGINT" | "SIGTERM") => Promise<Output>
}

/** A directory to work in, with the state and the configuration of its programs. Removed by `using`. */
export const makePlace = (): {
  readonly path: string
  readonly start: (example: string, options?: ProgramOptions) => Started
  readonly run: (example: string, options?: ProgramOptions) => Promise<Output>
} & Disposable => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "example-")))
  const home = realpathSync(mkdtempSync(join(tmpdir(), "example-home-")))
  const git = dirname(execFileSync("which", ["git"], { encoding: "utf8" }).trim())
  for (const name of ["state", "config", "tmp"]) mkdirSync(join(home, name), { mode: 0o700 })
  const own = {
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    TMPDIR: join(home, "tmp"),
    NO_COLOR: "1"
  }
  const start = (example: string, { args = [], input = "", env = {}, fakes = [] }: ProgramOptions = {}): Started => {
    const programs = [...fakes.map(({ directory }) => directory), dirname(process.execPath), git, "/bin"]
    const child = spawn(process.execPath, [join(root, "examples", example, "main.ts"), ...args], {
      cwd: path,
      env: { ...own, PATH: programs.join(delimiter), ...env },
      timeout: 90_000,
      killSignal: "SIGKILL"
    })
    child.stdin.on("error", () => undefined).end(input)
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    const outputs = [child.stdout, child.stderr]
    let all = ""
    for (const output of outputs) output.on("data", (chunk) => (all += chunk))
    const tooEarly = async () => {
      await ended
      throw new Error(`${example} ended with ${child.exitCode ?? child.signalCode}: ${all}`)
    }
    const during = <A>(wait: Promise<A>) => Promise.race([wait, tooEarly()])
    const printed = (pattern: RegExp) =>
      during(
        new Promise<RegExpExecArray>((resolve) => {
          const look = () => {
            const match = pattern.exec(all)
            if (match !== null) resolve(match)
          }
          for (const output of outputs) output.on("data", look)
          look()
        })
      )
    const end = async (signal?: "SIGINT" | "SIGTERM") => {
      if (signal !== undefined) child.kill(signal)
      const [stdout, stderr] = await ended
      return { stdout, stderr, code: child.exitCode }
    }
    return { during, printed, end }
  }
  return {
    path,
    start,
    run: (example, options) => start(example, options).end(),
    [Symbol.dispose]: () => {
      for (const directory of [path, home]) rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}
