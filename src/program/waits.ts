/** How long a person was waited for, of each tool call; pure. */
import type { PermissionDecisionEvent, PermissionRequestEvent } from "../contract/SessionEvent.ts"

interface Wait {
  /** Since when an open request waits; undefined without a clock, as in a replay. */
  readonly since: number | undefined
  readonly ms: number
}

export type Waits = ReadonlyMap<string, Wait>

export const noWaits: Waits = new Map()

/** Calls that ended long ago are not asked for again. */
const most = 1000

const put = (waits: Waits, toolId: string, wait: Wait): Waits => {
  const next = new Map(waits).set(toolId, wait)
  const [oldest] = next.keys()
  if (next.size > most && oldest !== undefined) next.delete(oldest)
  return next
}

export const startWait = (waits: Waits, { toolId }: PermissionRequestEvent, now: number | undefined): Waits =>
  put(waits, toolId, { since: now, ms: waits.get(toolId)?.ms ?? 0 })

/** Decisions by a rule take no time of a person. */
export const decidedAt = (
  waits: Waits,
  request: PermissionRequestEvent | undefined,
  { by }: PermissionDecisionEvent,
  now: number | undefined
): Waits => {
  const wait = request === undefined ? undefined : waits.get(request.toolId)
  if (request === undefined || wait === undefined) return waits
  const isPerson = by === "caller" || by === "deadline"
  const ms = isPerson && now !== undefined && wait.since !== undefined ? Math.max(0, now - wait.since) : 0
  return put(waits, request.toolId, { since: undefined, ms: wait.ms + ms })
}

export const waitedFor = (waits: Waits, toolId: string): number => waits.get(toolId)?.ms ?? 0
