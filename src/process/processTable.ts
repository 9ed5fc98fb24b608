/**
 * What the system tells of its processes. A pid is used again: only with its start time, and in its realm, does it name a
 * process for good. What one system tells and another does not may be undefined: its users decide what holds without it.
 */
import { Effect } from "effect"

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  /** In the table's own words; without white space. */
  readonly start: string
}

export interface MarkedProcess extends ProcessEntry {
  readonly marks: ReadonlyArray<string>
}

/** The runs whose mark stands in a process's environment: its own, and those around that one where agents are nested. */
export interface Marks {
  readonly of: (pid: number) => ReadonlyArray<string>
  /** All that carry the mark of a run and are no older than this process. */
  readonly list: Effect.Effect<ReadonlyArray<MarkedProcess>>
}

/** A zombie is gone, for all of these. */
export interface ProcessTable {
  readonly find: (pids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<ProcessEntry>>
  /** All of them; else as they were up to half a second ago, so that many runs cost what one does. */
  readonly list: (mustBeFresh: boolean) => Effect.Effect<ReadonlyArray<ProcessEntry>>
  /** Undefined where nobody tells the environment of a process: only what was seen as a descendant is known there. */
  readonly marks: Marks | undefined
  /**
   * The same for a POSIX shell, as functions: `entries` prints `pid:parent:start`, a word for each; `look PID` sets
   * `start` or fails; `marked MARK` prints pids. Undefined where nobody can outlive this process to end its runs.
   */
  readonly shell: string | undefined
  /** Where pids and start times mean the same: one boot of one machine, and one pid namespace. Undefined: nobody tells. */
  readonly realm: Effect.Effect<string | undefined>
  /** What does not hold on this platform, for people. Undefined where everything holds. */
  readonly notGuaranteed: string | undefined
}

/** Where processes cannot be looked at: a run's process group is ended, and that is all. */
export const noProcessTable: ProcessTable = {
  find: () => Effect.succeed([]),
  list: () => Effect.succeed([]),
  marks: undefined,
  shell: undefined,
  realm: Effect.undefined,
  notGuaranteed:
    "On this platform only the process group of a run ends with it: a process that left the group is not ended, and a run whose host is killed is not ended at all"
}

/** Those that still are the processes that were looked at. */
export const stillThere = ({ find }: ProcessTable, entries: ReadonlyArray<ProcessEntry>) =>
  Effect.map(find(entries.map(({ pid }) => pid)), (found) => {
    const starts = new Map(found.map(({ pid, start }) => [pid, start]))
    return entries.filter(({ pid, start }) => starts.get(pid) === start)
  })

/** What was read serves for half a second all who need nothing fresh. */
export const makeRecent = <A>() => {
  const freshMs = 500
  let last: { readonly at: number; readonly value: A } | undefined
  return {
    get: () => (last !== undefined && performance.now() - last.at < freshMs ? last.value : undefined),
    set: (value: A) => {
      last = { at: performance.now(), value }
      return value
    }
  }
}

/**
 * Runs can end by the hundred at once, and a look at every process takes milliseconds: one serves all who ask in the same
 * turn of the event loop, and it begins after they have.
 */
export const oncePerTurn = <A>(look: () => A | Promise<A>): Effect.Effect<A> => {
  let looking: Promise<A> | undefined
  return Effect.promise(() => {
    looking ??= new Promise((resolve) => {
      setImmediate(() => {
        looking = undefined
        resolve(look())
      })
    })
    return looking
  })
}
