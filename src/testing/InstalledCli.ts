/** Installs a fake CLI as an executable file that works in any environment and working directory. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { clis } from "../agents/Agents.ts"
import type { CliId } from "../contract/CliSupport.ts"
import { moduleRunner, ownProgram } from "../system/process/packageFile.ts"
import { type CliCall, readCalls } from "./CliCalls.ts"
import { checkedId } from "./dialects.ts"
import type { Performance, UnnamedPerformance } from "./instructions.ts"

/** Any agent of the Agent Client Protocol beside the five CLIs. */
export type LiveAgent = CliId | "acp"

/** A fake CLI that can be started. */
export interface InstalledCli {
  readonly cli: LiveAgent
  /** The path of the executable, for the `command` of an agent. */
  readonly command: string
  /** Has the executable under the name of the CLI and nothing else, for PATH. */
  readonly directory: string
  /** The calls so far, oldest first; read from disk each time. A call is here before it prints. */
  readonly calls: () => ReadonlyArray<CliCall>
  /**
   * The start of this number, as soon as it is among the calls; `1`, the default, is the first. Its `stdin` and
   * `processes` are what was known by then. Waits as long as the fake is installed, and rejects when it is removed.
   */
  readonly started: (nth?: number) => Promise<CliCall>
}

const findPlayer = () => {
  const player = ownProgram("testing/player")
  if (player === undefined) throw new Error("reins/testing cannot start its fakes from a bundle: leave reins out of it")
  return player
}

const pollMs = 10
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A script for one CLI. */
export interface Fake {
  /** The CLI that it stands for; `acp`: any agent of the Agent Client Protocol. */
  readonly cli: LiveAgent
  /** The script of its processes, in an internal form: do not read or change it. */
  readonly performances: unknown
}

/** Reads the hidden part of a `FakeCli`. */
export const performancesOf = ({ performances }: Fake) => performances as ReadonlyArray<UnnamedPerformance>

export const installFake = (fake: Fake) => {
  const id = fake.cli === "acp" ? fake.cli : checkedId(fake.cli)
  const name = id === "acp" ? "acp-agent" : clis[id].command
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reins-fake-")))
  const file = join(folder, "instructions.json")
  const performances = performancesOf(fake).map((unnamed): Performance => ({ ...unnamed, command: name }))
  writeFileSync(file, JSON.stringify(performances), { mode: 0o600 })
  mkdirSync(join(folder, "calls"), { mode: 0o700 })
  const directory = join(folder, "bin")
  mkdirSync(directory, { mode: 0o700 })
  const command = join(directory, name)
  writeFileSync(command, `#!/bin/sh\nexec ${[...moduleRunner, findPlayer(), file].map(quoted).join(" ")} "$@"\n`)
  chmodSync(command, 0o700)
  let last: ReadonlyArray<CliCall> | undefined
  const calls = () => last ?? readCalls(file)
  const remove = () => {
    last ??= readCalls(file)
    rmSync(folder, { recursive: true, force: true })
  }
  const started = async (nth = 1): Promise<CliCall> => {
    if (!Number.isInteger(nth) || nth < 1) throw new RangeError(`started(${nth}): the first start is 1`)
    for (;;) {
      const isOver = last !== undefined
      const call = calls()[nth - 1]
      if (call !== undefined) return call
      if (isOver) throw new Error(`the fake ${name} was removed before its start ${nth}`)
      await sleep(pollMs)
    }
  }
  const cli: InstalledCli = { cli: id, command, directory, calls, started }
  return { cli, remove }
}
