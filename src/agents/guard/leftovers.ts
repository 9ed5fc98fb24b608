/**
 * Ends what a dead holder left: its CLI may live on for a moment, until the reaper of its host has found it, and would write
 * to the same session. Where processes cannot be seen, they get the time that a reaper needs.
 */
import { Clock, Effect } from "effect"
import type { Waiting } from "../../contract/Start.ts"
import { untraced } from "../../contract/untraced.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import { Host, isHostAlive } from "../../system/process/host.ts"
import { type ProcessEntry, stillThere } from "../../system/process/processTable.ts"
import { type HolderFile, hostIdOf, ownIdentity } from "./holderFile.ts"

/** A CLI was gone 1.1 s after its host at the latest; the reaper tries for 10 s. */
const unseenMs = 6_000
const firstPauseMs = 50
const longestPauseMs = 1_000
/** Number of environments that are read in one go. */
const atOnce = 100

const kill = ({ pid }: ProcessEntry) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has gone, or belongs to another user.
  }
}

/** Adds descendants, but neither this process nor its own. */
const withDescendants = (roots: ReadonlyArray<ProcessEntry>, all: ReadonlyArray<ProcessEntry>) => {
  const family = new Map(roots.map((each) => [each.pid, each]))
  for (let size = -1; size !== family.size; ) {
    size = family.size
    for (const each of all) if (family.has(each.parent) && each.pid !== process.pid) family.set(each.pid, each)
  }
  return [...family.values()]
}

/** Processes with a matching mark. Undefined if marks cannot be read, or if this process has such a mark itself. */
const findMarked = Effect.fn(...untraced("Leftovers.findMarked"))(function* (isOld: (mark: string) => boolean) {
  const { processes } = yield* Host
  const { marks } = processes
  if (marks === undefined || marks.of(process.pid).some(isOld)) return undefined
  const all = yield* processes.list(true)
  const marked: Array<ProcessEntry> = []
  for (let at = 0; at < all.length; at += atOnce) {
    marked.push(...all.slice(at, at + atOnce).filter(({ pid }) => marks.of(pid).some(isOld)))
    yield* Effect.yieldNow
  }
  return yield* stillThere(processes, withDescendants(marked, all))
})

export interface LeftoversOptions {
  /** The content of the file beside the lock. */
  readonly left: HolderFile | "unreadable"
  readonly queued: (waiting: Waiting) => void
  /** Time for processes that do not end, in milliseconds from now on. */
  readonly patienceMs: number
}

const unseen = Effect.fn(...untraced("Leftovers.unseen"))(function* (queued: LeftoversOptions["queued"]) {
  const problem = `its last user died; what is left of it gets ${unseenMs / 1000} s to end`
  queued({ problem, data: { limit: "session" } })
  yield* Effect.sleep(unseenMs)
  return true
})

/** Waits until nothing is left; only while the lock is held. False if something is left that belongs to a living host. */
export const endLeftovers = Effect.fn(...untraced("Leftovers.endLeftovers"))(function* ({
  left,
  queued,
  patienceMs
}: LeftoversOptions) {
  const own = yield* ownIdentity
  if (left === "unreadable" || left.realm === undefined || left.realm !== own.realm) return yield* unseen(queued)
  const hostId = hostIdOf(left)
  const isAlive = (yield* isHostAlive({ id: hostId, pid: left.pid, start: left.start, realm: left.realm })) !== false
  const isOld = (mark: string) => (isAlive ? mark === left.runId : mark.startsWith(`${hostId}.`))
  const elapsedMs = startStopwatch(yield* Clock.Clock)
  for (let pauseMs = firstPauseMs, isTold = false; ; isTold = true) {
    const found = yield* findMarked(isOld)
    if (found === undefined) return yield* unseen(queued)
    if (found.length === 0) return true
    const [count, are] = found.length === 1 ? ["a process", "is"] : [`${found.length} processes`, "are"]
    if (!isTold) {
      queued({
        problem: `its last user, process ${left.pid} on ${left.host}, died; ${count} of it ${are} being ended`,
        data: { limit: "session", processes: found.map(({ pid }) => pid) }
      })
    }
    if (elapsedMs() >= (isAlive ? patienceMs : Math.max(patienceMs, unseenMs))) return false
    if (!isAlive) for (const each of found) kill(each)
    yield* Effect.sleep(pauseMs)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
})
