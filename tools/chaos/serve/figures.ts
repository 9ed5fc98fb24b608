/** Resources of a host, from /proc: memory, descriptors, and processes below it. */
import { readdirSync, readFileSync } from "node:fs"
import type { Counts } from "./rows.ts"

/** Facts of `/proc`. */
export interface Seen {
  readonly rssMiB: number
  readonly descriptors: number
  /** Below the host, the reaper apart. */
  readonly processes: number
}

/** The same, and what the host and its store say. */
export interface Held extends Seen {
  /** Living objects in its memory, after garbage collection. */
  readonly heapMiB: number
  /** Timers, sockets and pipes that it waits for. */
  readonly resources: number
  /** Rows of each table of its store. */
  readonly rows: Counts
  /** So many conversations were had by then. */
  readonly visits: number
}

const read = (path: string) => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

/** All living processes: this one, and the one that has started it. */
const parents = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`)
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return stat === "" || state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent) }]
    })

const isReaper = (pid: number) => /reaper|\bsh\b/.test(read(`/proc/${pid}/cmdline`).split("\0")[0] ?? "")

/** All that a process has started, and what they have. */
export const below = (host: number): ReadonlyArray<number> => {
  const all = parents()
  const belowOf = (pid: number): ReadonlyArray<number> =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child.pid, ...belowOf(child.pid)])
  return belowOf(host)
}

export const processesBelow = (host: number): ReadonlyArray<number> => below(host).filter((pid) => !isReaper(pid))

export const heldBy = (host: number): Seen => ({
  rssMiB: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${host}/status`))?.[1] ?? 0) / 1024),
  descriptors: readdirSync(`/proc/${host}/fd`).length,
  processes: processesBelow(host).length
})
