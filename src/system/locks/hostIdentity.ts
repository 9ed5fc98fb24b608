/**
 * The identity of this process in a form that can be stored, for what a dead host has left behind. Pids tell whether a
 * host is alive only within one realm, not across boots or pid namespaces; only a lock tells it everywhere.
 */
import { Effect } from "effect"
import { Host } from "../process/host.ts"
import { stillThere } from "../process/processTable.ts"

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
