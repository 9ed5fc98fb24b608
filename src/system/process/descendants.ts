/**
 * The processes that a run has started, ended after it: most carry the run's mark, in whatever session or group. Those
 * with a cleared environment are recorded by parentage while the run lasts, as long as their parent lives.
 */
import { Effect } from "effect"
import { Host } from "./host.ts"
import { type ProcessEntry, stillThere } from "./processTable.ts"

interface Descendants {
  /** Records the descendants of this process 20 ms after its start, then at growing intervals up to a second. */
  readonly follow: (pid: number, hasExited: () => boolean) => Effect.Effect<never>
  /** The living descendants, without the process itself. */
  readonly look: Effect.Effect<ReadonlyArray<ProcessEntry>>
}

const firstLookMs = 20
const secondLookMs = 100
const longestPauseMs = 1_000

export const trackDescendants = Effect.fnUntraced(function* (runId: string) {
  const { processes, reaper } = yield* Host
  let root: ProcessEntry | undefined
  let known: ReadonlyArray<ProcessEntry> = []
  let rootHasExited = () => true

  const carriesMark = ({ pid }: ProcessEntry) => processes.marks?.of(pid).includes(runId) === true
  const tellReaper = (family: ReadonlyArray<ProcessEntry>) =>
    reaper.setStrays(
      runId,
      family.filter((entry) => !carriesMark(entry))
    )

  const look = Effect.fnUntraced(function* (mustBeFresh: boolean) {
    if (known.length === 0 && rootHasExited()) {
      tellReaper(known)
      return known
    }
    const family = [...(yield* stillThere(processes, [...(root === undefined ? [] : [root]), ...known]))]
    const pids = new Set(family.map((entry) => entry.pid))
    const all = family.length === 0 ? [] : yield* processes.list(mustBeFresh)
    // A child can be listed before its parent where pids have wrapped around.
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
    follow: Effect.fnUntraced(function* (pid, hasExited) {
      const [found] = yield* processes.find([pid])
      // A spawner may report any pid: only a child of this host is the root of what may be ended.
      if (found?.parent !== process.pid) return yield* Effect.never
      root = found
      rootHasExited = hasExited
      tellReaper([found])
      let pauseMs = firstLookMs
      while (true) {
        yield* Effect.sleep(pauseMs)
        yield* look(false)
        pauseMs = pauseMs === firstLookMs ? secondLookMs : Math.min(2 * pauseMs, longestPauseMs)
      }
    }),
    look: look(true)
  }
  return descendants
})

/** A process can fork while it is being looked for, and a killed one stays in the table for a moment. */
const mostRounds = 5

const kill = ({ pid }: ProcessEntry) => {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    return false
  }
}

/** Ends what is left of a run: all that carries its mark, and what `started` gives. */
export const sweep = Effect.fnUntraced(function* (runId: string, started: Effect.Effect<ReadonlyArray<ProcessEntry>>) {
  const { processes } = yield* Host
  for (let round = 0; round < mostRounds; round++) {
    const marked = (yield* processes.marks?.list ?? Effect.succeed([])).filter(({ marks }) => marks.includes(runId))
    // A pid is signalled only while its start time matches.
    const left = yield* stillThere(processes, [...(yield* started), ...marked])
    if (left.filter(kill).length === 0) return
    yield* Effect.sleep("10 millis")
  }
})
