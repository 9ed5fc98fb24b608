/**
 * This process as the host of its runs: its id, its platform, the process table and the reaper. Every process of a run
 * carries the run's mark in its environment, in whatever session or group it is. The mark contains the ids of the host
 * and the run, and so does the name of the run's private directory.
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect } from "effect"
import { hostWide } from "../../contract/acrossCopies.ts"
import { makeLinuxProcesses } from "./linuxProcesses.ts"
import { makePsProcesses } from "./macProcesses.ts"
import { noProcessTable, type ProcessTable } from "./processTable.ts"
import { makeReaper, type Reaper } from "./reaper.ts"

/** The part that all copies of this package in the process share. */
interface SharedHost {
  /** Unique among all hosts; every run's mark begins with it. */
  readonly id: string
  readonly reaper: Reaper
}

export interface Host extends SharedHost {
  /** As in `process.platform`. */
  readonly platform: NodeJS.Platform
  readonly arch: string
  readonly processes: ProcessTable
}

const processesOf = (platform: NodeJS.Platform): ProcessTable => {
  if (platform === "linux" || platform === "android") return makeLinuxProcesses()
  return platform === "darwin" ? makePsProcesses() : noProcessTable
}

const makeShared = ({ shell }: ProcessTable): SharedHost => {
  const id = crypto.randomUUID()
  const mark = `${id}.`
  const privateFiles = () => privatePath(tmpdir(), mark)
  return { id, reaper: makeReaper({ mark, privateFiles, shell }) }
}

export const makeHost = (platform: NodeJS.Platform, processes = processesOf(platform)): Host => ({
  platform,
  arch: process.arch,
  processes,
  ...makeShared(processes)
})

export const Host = Context.Reference<Host>("reins/Host", {
  defaultValue: () => {
    const processes = processesOf(process.platform)
    const shared = hostWide("host@1", () => makeShared(processes))
    return { platform: process.platform, arch: process.arch, processes, ...shared }
  }
})

/** The value of a run's mark. */
export const makeRunId: Effect.Effect<string> = Effect.map(Host, ({ id }) => `${id}.${crypto.randomUUID()}`)

/** Below a directory for temporary files. */
export const privatePath = (directory: string, runId: string) => join(directory, `reins-${runId}`)
