/**
 * Remembers what a run has started, by parentage. Most of it carries the run's mark and is found by that; a tool whose
 * environment was cleared is not, and as soon as its parent has left nobody can tell any more whose it was.
 */
import { Effect, Schedule } from "effect"
import { findProcess, isSame, listProcesses, marksOf, type ProcessEntry } from "./processTable.ts"
import { tellReaper } from "./reaper.ts"

export interface Descendants {
  /** Begins with this process and looks again and again: once it has had time to start another, then every second. */
  readonly follow: (pid: number) => Effect.Effect<never>
  /** Those that live, the process itself not among them. */
  readonly look: () => ReadonlyArray<ProcessEntry>
}

const firstLook = "20 millis"
const intervals = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 second")])

/** Whatever a spawner says: a process that is no child of this host begins no family that may be ended. */
const findChild = (pid: number) => {
  const found = findProcess(pid)
  return found?.parent === process.pid ? found : undefined
}

export const trackDescendants = (runId: string): Descendants => {
  let root: ProcessEntry | undefined
  let known: ReadonlyArray<ProcessEntry> = []

  const look = (mustBeFresh: boolean) => {
    const family = [...(root === undefined ? [] : [root]), ...known].filter(isSame)
    const pids = new Set(family.map((entry) => entry.pid))
    const all = family.length === 0 ? [] : listProcesses(mustBeFresh)
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
    tellReaper(
      runId,
      known.filter((entry) => !marksOf(entry.pid).includes(runId))
    )
    return known
  }

  return {
    follow: (pid) =>
      Effect.suspend(() => {
        root = findChild(pid)
        if (root === undefined) return Effect.never
        return Effect.sync(() => look(false)).pipe(
          Effect.repeat(intervals),
          Effect.delay(firstLook),
          Effect.andThen(Effect.never)
        )
      }),
    look: () => look(true)
  }
}
