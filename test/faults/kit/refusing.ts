/** Starts a host in which the system refuses what runs need, and reads what it tells of them. */
import { type SpawnOptions, spawn, spawnSync } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { assert } from "vitest"
import { clis } from "../../../src/agents/Agents.ts"
import { plainSuccessOf, recordingPath } from "../../cli/fixtures.ts"

export interface Told {
  readonly name: string
  readonly id?: string
  readonly reason?: string
  readonly category?: string
  readonly message?: string
  readonly ends?: number
  readonly pids?: ReadonlyArray<string>
  readonly files?: ReadonlyArray<string>
  readonly printed?: number
  readonly delivered?: number
}

const host = fileURLToPath(new URL("../hosts/refusals.ts", import.meta.url))
const recordings = Object.values(clis).map((cli) => recordingPath(cli, plainSuccessOf(cli)))
export const patienceMs = 120_000

/** All that the host has told of its runs, once it was checked that it came to its end and nothing else came up. */
export const refuse = (
  how: string,
  directory: string,
  wrapper: ReadonlyArray<string> = [],
  options: SpawnOptions = {}
) =>
  Effect.promise(async () => {
    const line = [...wrapper, process.execPath, host, how, directory, ...recordings]
    const child = spawn(line[0] ?? "", line.slice(1), { ...options, stdio: ["ignore", "pipe", "inherit"] })
    if (child.stdout === null) return assert.fail("it has a pipe")
    const lines = (await text(child.stdout)).split("\n").filter((one) => one.startsWith("{"))
    const reported: ReadonlyArray<Told> = lines.map((one) => JSON.parse(one))
    assert.strictEqual(reported.at(-1)?.name, "end", "the host has lived to its end")
    const runs = reported.filter(({ id }) => id !== undefined)
    for (const { name, ends } of runs) assert.strictEqual(ends, 1, `one done: ${name}`)
    return { runs, others: reported.filter(({ id }) => id === undefined).slice(0, -1) }
  })

/** In front of the host: runs it when the script has gone well. */
export const shell = (script: string) => ["/bin/sh", "-c", `${script} && exec "$@"`, "sh"]

export const allOf = (runs: ReadonlyArray<Told>, name: string) => {
  const found = runs.filter((run) => run.name === name)
  assert.isNotEmpty(found)
  return found
}

export const assertRefused = (run: Told, reason: string, category: string, ...words: ReadonlyArray<string>) => {
  assert.deepInclude(run, { reason, category })
  for (const word of words) assert.include(run.message, word)
}

/** Root may read everything and start any number of processes, so its hosts are another user's. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Whether this machine has a program, and lets it do that. */
export const has = (command: string, ...args: ReadonlyArray<string>) => spawnSync(command, args).status === 0
