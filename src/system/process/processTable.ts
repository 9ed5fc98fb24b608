/** The system's process table. A reused pid identifies a process only with its start time and within its realm. */
import { Effect } from "effect"

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  /** In the format of its table, without white space. */
  readonly start: string
}

export interface MarkedProcess extends ProcessEntry {
  readonly marks: ReadonlyArray<string>
}

/** Marks in the environments of processes: of the run that started them, and of the runs around it (nested agents). */
interface Marks {
  readonly of: (pid: number) => ReadonlyArray<string>
  /** All processes with a mark that are not older than this one, zombies included. */
  readonly list: Effect.Effect<ReadonlyArray<MarkedProcess>>
}

/** Zombies count as gone. */
export interface ProcessTable {
  readonly find: (pids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<ProcessEntry>>
  /** All processes; unless `mustBeFresh`, from up to half a second ago, so that many runs cost as much as one. */
  readonly list: (mustBeFresh: boolean) => Effect.Effect<ReadonlyArray<ProcessEntry>>
  /** Undefined where environments cannot be read: only processes that were seen as descendants are known there. */
  readonly marks: Marks | undefined
  /**
   * Functions of a POSIX shell for the reaper: `entries` prints `pid:parent:start` for each process, `look PID` sets
   * `start` or fails, `marked MARK` prints pids. Undefined if the platform has no reaper.
   */
  readonly shell: string | undefined
  /** Where a pid and start time identify a process: one boot of one machine, one pid namespace. Undefined: unknown. */
  readonly realm: Effect.Effect<string | undefined>
  /** For people: which guarantees do not hold on this platform. Undefined: all hold. */
  readonly notGuaranteed: string | undefined
}

/** For systems whose processes cannot be listed: only a run's process group is ended. */
export const noProcessTable: ProcessTable = {
  find: () => Effect.succeed([]),
  list: () => Effect.succeed([]),
  marks: undefined,
  shell: undefined,
  realm: Effect.undefined,
  notGuaranteed:
    "On this platform only the process group of a run ends with it: a process that left the group is not ended, and a run whose host is killed is not ended at all"
}

/** The processes whose start time still matches. */
export const stillThere = ({ find }: ProcessTable, entries: ReadonlyArray<ProcessEntry>) =>
  Effect.map(find(entries.map(({ pid }) => pid)), (found) => {
    const starts = new Map(found.map(({ pid, start }) => [pid, start]))
    return entries.filter(({ pid, start }) => starts.get(pid) === start)
  })

/** A value that is reused for half a second. */
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

/** One look, after a turn of the event loop, serves all its callers: hundreds of runs can end at once. */
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
