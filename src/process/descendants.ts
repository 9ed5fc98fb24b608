/**
 * Remembers what a run has started, by parentage. Most of it carries the run's mark and is found by that; a tool whose
 * environment was cleared is not, and as soon as its parent has left nobody can tell any more whose it was.
 */
import { Effect, Schedule } from "effect"
import { findProcess, isSame, listProcesses, marksOf, type ProcessEntry } from "./processTable.ts"
import { tellReaper } from "./reaper.ts"

export interface Descendants {
  /** Those that live, the process itself not among them. */
  readonly look: () => ReadonlyArray<ProcessEntry>
  /** Looks again and again: soon at first, then every two seconds. */
  readonly watch: Effect.Effect<never>
}

const intervals = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])

export const trackDescendants = (runId: string, pid: number): Descendants => {
  const found = findProcess(pid)
  // Whatever a spawner says: nothing but a child of this host is the beginning of a family that may be ended.
  const root = found?.parent === process.pid ? found : undefined
  let known: ReadonlyArray<ProcessEntry> = []

  const look = (mustBeFresh: boolean) => {
    const all = listProcesses(mustBeFresh)
    const family = [...(root === undefined ? [] : [root]), ...known].filter(isSame)
    const pids = new Set(family.map((entry) => entry.pid))
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
    look: () => look(true),
    watch:
      root === undefined
        ? Effect.never
        : Effect.sync(() => look(false)).pipe(Effect.repeat(intervals), Effect.andThen(Effect.never))
  }
}
