/**
 * Who this process is, in a form that can be written down and outlives it: for what a dead host has left. Only a lock says
 * for certain that a host is alive; pids say it within one realm, and nothing of another boot or another pid namespace.
 */
import { Effect } from "effect"
import { Host } from "../process/host.ts"
import { stillThere } from "../process/processTable.ts"

export interface HostIdentity {
  /** Every run's mark begins with it. */
  readonly id: string
  readonly pid: number
  /** Undefined where the system does not tell of its processes. */
  readonly start: string | undefined
  /** Boot and pid namespace, where the system tells them. */
  readonly realm: string | undefined
}

export const hostIdentity: Effect.Effect<HostIdentity> = Effect.gen(function* () {
  const { id, processes } = yield* Host
  const [own] = yield* processes.find([process.pid])
  return { id, pid: process.pid, start: own?.start, realm: yield* processes.realm }
})

/** Whether the process of an identity is there; undefined where this host cannot tell. */
export const isHostAlive = Effect.fnUntraced(function* ({ pid, start, realm }: HostIdentity) {
  const { processes } = yield* Host
  if (start === undefined || realm === undefined || realm !== (yield* processes.realm)) return undefined
  return (yield* stillThere(processes, [{ pid, parent: 0, start }])).length > 0
})
