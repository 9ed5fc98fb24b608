/** `hosts/processHost` as a process that leads a session: the runs it has, and how it dies. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentExecuteParams } from "../../../src/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/AgentOptions.ts"
import type { CliId } from "../../../src/agents.ts"
import { endAll, isAlive, until } from "../../kit/processes.ts"

export interface OrderedRun {
  readonly id: CliId
  readonly options: AgentOptions
  readonly params: AgentExecuteParams
}

const script = fileURLToPath(new URL("../hosts/processHost.ts", import.meta.url))

export interface Host {
  readonly pid: number
  /** Processes that it started outside of any run. */
  readonly own: () => ReadonlyArray<number>
  /** Returns when all of its runs have told their session. */
  readonly stands: Effect.Effect<void>
  /** Types of the events so far. */
  readonly told: () => ReadonlyArray<string>
  readonly order: (what: string) => void
  /** Returns when it is dead, with what it said on stderr. */
  readonly ended: Effect.Effect<string>
}

export const startHost = Effect.fnUntraced(function* (
  runs: ReadonlyArray<OrderedRun>,
  env: Readonly<Record<string, string | undefined>> = process.env
) {
  const child = spawn(process.execPath, [script], { env, detached: true, stdio: ["pipe", "pipe", "pipe"] })
  const ended = once(child, "exit")
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
  const lines = (): ReadonlyArray<{ own?: ReadonlyArray<number>; type?: string }> =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const told = () => lines().flatMap(({ type }) => type ?? [])
  const own = () => lines().flatMap((line) => line.own ?? [])
  const pid = child.pid ?? assert.fail("the host did not start")
  yield* Effect.addFinalizer(() => Effect.sync(() => endAll([...own(), pid])))
  const sessions = () => told().filter((type) => type === "session").length
  const host: Host = {
    pid,
    own,
    stands: until(() => {
      if (!isAlive(pid)) assert.fail(`the host is dead: ${stderr}`)
      return sessions() === runs.length
    }, 60_000),
    told,
    order: (what) => child.stdin.write(`${what}\n`),
    ended: Effect.promise(() => ended).pipe(Effect.map(() => stderr))
  }
  return host
})

/** What waits for the end of a host to end its runs. */
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
