/** `hosts/processHost` as a process that leads a session: the runs it has, and how it dies. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { assert } from "vitest"
import type { CliId } from "../../../src/agents/Agents.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { endAll, isAlive, until } from "../../kit/processes.ts"

export interface OrderedRun {
  readonly id: CliId
  readonly options: AgentOptions
  readonly params: AgentExecuteParams
}

const script = fileURLToPath(new URL("../hosts/processHost.ts", import.meta.url))

interface Told {
  readonly own?: ReadonlyArray<number>
  readonly type?: string
  readonly reason?: string
  readonly over?: true
}

export interface Host {
  readonly pid: number
  /** Processes that it started outside of any run. */
  readonly own: () => ReadonlyArray<number>
  /** Returns when all of its runs have told their session. */
  readonly stands: Effect.Effect<void>
  /** How its runs ended, by the one `done` of each. */
  readonly reasons: () => ReadonlyArray<string>
  readonly order: (what: string) => void
  /** Returns when all of its runs are over; the host waits for another order to leave. */
  readonly over: Effect.Effect<void>
  /** Returns when it is dead, with what it said on stderr. */
  readonly ended: Effect.Effect<string>
}

export const startHost = Effect.fnUntraced(function* (
  runs: ReadonlyArray<OrderedRun>,
  env: Readonly<Record<string, string | undefined>> = process.env
) {
  const child = spawn(process.execPath, [script], { env, detached: true, stdio: ["pipe", "pipe", "pipe"] })
  const ended = once(child, "close")
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => {
    stdout += chunk
  })
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  child.stdin.on("error", () => {})
  child.stdin.write(`${JSON.stringify(runs)}\n`)
  // Log lines of the library are there as well.
  const lines = (): ReadonlyArray<Told> =>
    stdout
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
  const own = () => lines().flatMap((line) => line.own ?? [])
  const pid = child.pid ?? assert.fail("the host did not start")
  yield* Effect.addFinalizer(() => Effect.sync(() => endAll([...own(), pid])))
  const sessions = () => lines().filter(({ type }) => type === "session").length
  const host: Host = {
    pid,
    own,
    stands: until(() => {
      if (!isAlive(pid)) assert.fail(`the host is dead: ${stderr}`)
      return sessions() === runs.length
    }, 60_000),
    reasons: () => lines().flatMap(({ reason }) => reason ?? []),
    over: until(() => lines().some(({ over }) => over === true), 60_000),
    order: (what) => child.stdin.write(`${what}\n`),
    ended: Effect.promise(() => ended).pipe(Effect.map(() => stderr))
  }
  return host
})

/** The process that waits for the end of a host to end its runs. */
export const reapersOf = (host: number) =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? []
      const isReaper = readFileSync(`/proc/${name}/cmdline`, "latin1").includes("reins-reaper")
      return isReaper && Number(parent) === host ? [Number(name)] : []
    } catch {
      return []
    }
  })
