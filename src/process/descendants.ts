/**
 * What a run has started: remembered by parentage while it runs, and ended after it. Most of it carries the run's mark and
 * is found by that, in whatever session or group; a tool whose environment was cleared is not, and as soon as its parent
 * has left nobody can tell any more whose it was.
 */
import { Effect, Schedule } from "effect"
import { Host } from "./host.ts"
import { type ProcessEntry, stillThere } from "./processTable.ts"

export interface Descendants {
  /** Begins with this process and looks again and again: once it has had time to start another, then every second. */
  readonly follow: (pid: number) => Effect.Effect<never>
  /** Those that live, the process itself not among them. */
  readonly look: Effect.Effect<ReadonlyArray<ProcessEntry>>
}

const firstLook = "20 millis"
const intervals = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 second")])

export const trackDescendants = Effect.fnUntraced(function* (runId: string) {
  const { processes, reaper } = yield* Host
  let root: ProcessEntry | undefined
  let known: ReadonlyArray<ProcessEntry> = []

  const carriesMark = ({ pid }: ProcessEntry) => processes.marks?.of(pid).includes(runId) === true
  const tellReaper = (family: ReadonlyArray<ProcessEntry>) =>
    reaper.setStrays(
      runId,
      family.filter((entry) => !carriesMark(entry))
    )

  const look = Effect.fnUntraced(function* (mustBeFresh: boolean) {
    const family = [...(yield* stillThere(processes, [...(root === undefined ? [] : [root]), ...known]))]
    const pids = new Set(family.map((entry) => entry.pid))
    const all = family.length === 0 ? [] : yield* processes.list(mustBeFresh)
    // A child can stand before its parent where pids have begun anew.
    for (let size = 0; size < family.length; ) {
      size = family.length
      for (const entry of all) {
        if (pids.has(entry.pid) || !pids.has(entry.parent)) continue
        pids.add(entry.pid)
        family.push(entry)
      }
    }
    known = family.filter((entry) => entry !== root)
    tellReaper(family)
    return known
  })

  const descendants: Descendants = {
    follow: Effect.fnUntraced(function* (pid) {
      const [found] = yield* processes.find([pid])
      // Whatever a spawner says: a process that is no child of this host begins no family that may be ended.
      if (found?.parent !== process.pid) return yield* Effect.never
      root = found
      tellReaper([found])
      yield* Effect.delay(Effect.repeat(look(false), intervals), firstLook)
      return yield* Effect.never
    }),
    look: look(true)
  }
  return descendants
})

/** A process that forks while it is looked for leaves a child; a killed one stays in the table for a moment. */
const mostRounds = 5

const kill = ({ pid }: ProcessEntry) => {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    return false
  }
}

/** Ends what a run has left behind: what carries its mark, and what `started` gives. */
export const sweep = Effect.fnUntraced(function* (runId: string, started: Effect.Effect<ReadonlyArray<ProcessEntry>>) {
  const { processes } = yield* Host
  for (let round = 0; round < mostRounds; round++) {
    const marked = (yield* processes.marks?.list ?? Effect.succeed([])).filter(({ marks }) => marks.includes(runId))
    // Each is signalled only while it is the process that was looked at.
    const left = yield* stillThere(processes, [...(yield* started), ...marked])
    if (left.filter(kill).length === 0) return
    yield* Effect.sleep("10 millis")
  }
})
