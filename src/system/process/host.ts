/**
 * This process as the host of its runs. The mark in the environment of each run's processes, and the name of its
 * private directory, contain the ids of the host and the run. A pid tells whether a stored identity is alive only
 * within one realm (boot and pid namespace).
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect } from "effect"
import { hostWide } from "../../contract/acrossCopies.ts"
import { makeLinuxProcesses } from "./linuxProcesses.ts"
import { makePsProcesses } from "./macProcesses.ts"
import { noProcessTable, type ProcessTable, stillThere } from "./processTable.ts"
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

export interface HostIdentity {
  /** See `Host`. */
  readonly id: string
  readonly pid: number
  /** Undefined where processes cannot be listed. */
  readonly start: string | undefined
  /** See `ProcessTable`. */
  readonly realm: string | undefined
}

export const hostIdentity: Effect.Effect<HostIdentity> = Effect.gen(function* () {
  const { id, processes } = yield* Host
  const [own] = yield* processes.find([process.pid])
  return { id, pid: process.pid, start: own?.start, realm: yield* processes.realm }
})

/** Whether the process of an identity is alive; undefined if this host cannot know. */
export const isHostAlive = Effect.fnUntraced(function* ({ pid, start, realm }: HostIdentity) {
  const { processes } = yield* Host
  if (start === undefined || realm === undefined || realm !== (yield* processes.realm)) return undefined
  return (yield* stillThere(processes, [{ pid, parent: 0, start }])).length > 0
})
