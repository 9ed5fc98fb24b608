/** Places for `reins serve` as a process: a user of its own, a scripted Claude Code on PATH, and people who write by HTTP. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { versions } from "../../../src/cli/versions.ts"

const ownProgram = fileURLToPath(new URL("../../../dist/program.js", import.meta.url))
const peer = fileURLToPath(new URL("../../../fixtures/programs/live/claude.mjs", import.meta.url))

export interface Room {
  readonly root: string
  /** The current directory of the host. */
  readonly work: string
  readonly config: string
  readonly env: NodeJS.ProcessEnv
  /** The program that is started: a file for Node. */
  readonly program: string
  /** Log lines of agents: the text, and their process. */
  readonly logged: () => ReadonlyArray<{ readonly text: string; readonly pid: number }>
  readonly remove: () => void
}

interface RoomOptions {
  /** Default: a scripted Claude Code. */
  readonly hasAgent?: boolean
  readonly config?: string
}

const linesIn = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [])

export const makeRoom = ({ hasAgent = true, config = "" }: RoomOptions = {}): Room => {
  const root = mkdtempSync(join(tmpdir(), "reins-serve-"))
  const [work, bin, log] = [join(root, "work"), join(root, "bin"), join(root, "agents.ndjson")]
  for (const directory of [work, bin, join(root, "config/reins")]) mkdirSync(directory, { recursive: true })
  const file = join(root, "config/reins/reins.toml")
  writeFileSync(file, config, { mode: 0o600 })
  if (hasAgent) {
    const claude = join(bin, "claude")
    const version = `case "$1" in --version) echo "${versions.claude.testedVersion} (Claude Code)"; exit;; auth) echo "{}"; exit;; esac`
    writeFileSync(claude, `#!/bin/sh\n${version}\nexec '${process.execPath}' '${peer}' '--log=${log}' "$@"\n`)
    chmodSync(claude, 0o755)
  }
  const { NO_COLOR: _, FORCE_COLOR: __, NOTIFY_SOCKET: ___, JOURNAL_STREAM: ____, ...host } = process.env
  const env = {
    ...host,
    HOME: root,
    PATH: `${bin}:/usr/bin:/bin`,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config"),
    REINS_DEMO_PACE_MS: "0"
  }
  return {
    ...{ root, work, config: file, env, program: ownProgram },
    logged: () => linesIn(log).map((line) => JSON.parse(line)),
    remove: () => rmSync(root, { recursive: true, force: true })
  }
}

export interface LogLine {
  readonly level: string
  readonly message: string
}

/** One process of the program, and what it prints. `flags`: of Node. `by`: its launcher, such as `ownNamespace`. */
export const runProgram = (
  room: Room,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = {},
  flags: ReadonlyArray<string> = [],
  by: ReadonlyArray<string> = []
) => {
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", ...flags, room.program]
  const [command = "", ...rest] = [...by, ...node, ...args]
  const child: ChildProcess = spawn(command, rest, {
    cwd: room.work,
    env: { ...room.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const printed = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text
      for (const look of waiting) look()
    })
  }
  const ended = once(child, "close").then(([code, signal]) => ({
    ...printed,
    code: code as number | null,
    signal: signal as string | null
  }))
  /** The match of a pattern in the output; rejects if the process ends without it. */
  const printing = (name: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray> =>
    Promise.race([
      new Promise<RegExpExecArray>((resolve) => {
        const look = () => {
          const found = pattern.exec(printed[name])
          if (found === null) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
      ended.then(({ code, stdout, stderr }) => {
        const found = pattern.exec(printed[name])
        if (found !== null) return found
        throw new Error(`ended with ${code} before ${pattern}:\n${stdout}${stderr}`)
      })
    ])
  return { child, ended, printed, printing }
}

export const runServe = (
  room: Room,
  args: ReadonlyArray<string>,
  env?: NodeJS.ProcessEnv,
  flags?: ReadonlyArray<string>,
  by?: ReadonlyArray<string>
) => runProgram(room, ["serve", ...args], env, flags, by)

/** The lines of the log. */
export const logOf = (stderr: string): ReadonlyArray<LogLine> =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

export interface Page {
  readonly base: string
  readonly key: string
}

const address = /^(https?:\/\/\S+)\/#key=([\w-]+)$/m

/** A host that listens. */
export const startServe = async (
  room: Room,
  args: ReadonlyArray<string> = ["--web=0"],
  env?: NodeJS.ProcessEnv,
  flags?: ReadonlyArray<string>,
  by?: ReadonlyArray<string>
) => {
  const host = runServe(room, args, env, flags, by)
  const [, base = "", key = ""] = await host.printing("stdout", address)
  return { ...host, page: { base, key } satisfies Page }
}

const authorized = ({ key }: Page) => ({ authorization: `Bearer ${key}` })

export interface Chat {
  readonly id: string
  /** Says it, with an id of its own; gives the status. */
  readonly say: (text: string, id?: string) => Promise<number>
  /** Waits until the page shows it, from the beginning of the conversation on. */
  readonly shows: (pattern: RegExp, signal?: AbortSignal) => Promise<string>
}

/** A conversation of the page's owner. */
export const chatOf = (page: Page, id: string = randomUUID()): Chat => ({
  id,
  say: async (text, message = randomUUID()) => {
    const response = await fetch(`${page.base}/messages`, {
      method: "POST",
      headers: { ...authorized(page), "content-type": "application/json" },
      body: JSON.stringify({ id: message, conversation: id, text })
    })
    await response.arrayBuffer()
    return response.status
  },
  shows: async (pattern, signal) => {
    const url = `${page.base}/events?conversation=${id}&after=0`
    const response = await fetch(url, { headers: authorized(page), ...(signal === undefined ? {} : { signal }) })
    let text = ""
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      const found = pattern.exec(text)
      if (found !== null) return found[0]
    }
    throw new Error(`the stream ended (${response.status}) before ${pattern}:\n${text}`)
  }
})

/** The agent says it: not the message that asks for it. */
export const saying = (text: string): RegExp => new RegExp(`"text":"${text}`)

/** A script for the agent: what it says, and what it logs before. */
export const script = (...steps: ReadonlyArray<object>): string => JSON.stringify(steps)

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}
