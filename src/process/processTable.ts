/**
 * Which processes there are, from /proc; none where there is no such thing (no Linux). A pid is used again: only with
 * its start time does it name a process for good.
 */
import { readdirSync, readFileSync } from "node:fs"
import { runMarker } from "../contract/Plan.ts"

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  /** In the kernel's ticks since it was booted. */
  readonly start: string
}

const read = (pid: number, file: "environ" | "stat") => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return undefined // it has left, or belongs to another user
  }
}

/** Undefined for a process that is gone; a zombie is gone, too. */
export const findProcess = (pid: number): ProcessEntry | undefined => {
  const stat = read(pid, "stat")
  // The name of the program stands in parentheses and may hold any character; the state comes behind the last one.
  const [state, parent, ...rest] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? []
  const start = rest[17]
  if (start === undefined || state === "Z" || state === "X") return undefined
  return { pid, parent: Number(parent), start }
}

export const isSame = ({ pid, start }: ProcessEntry): boolean => findProcess(pid)?.start === start

const listPids = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Its run, and the runs around that one where a tool of an agent has agents of its own. */
export const marksOf = (pid: number): ReadonlyArray<string> => {
  const variables = (read(pid, "environ") ?? "").split("\0")
  const mark = variables.find((variable) => variable.startsWith(`${runMarker}=`))
  return mark?.slice(runMarker.length + 1).split(" ") ?? []
}

const freshMs = 500
let listed: { readonly at: number; readonly entries: ReadonlyArray<ProcessEntry> } | undefined

/** All of them. What one run has read serves the others for half a second, so that many runs cost what one does. */
export const listProcesses = (mustBeFresh: boolean): ReadonlyArray<ProcessEntry> => {
  const at = performance.now()
  if (listed !== undefined && !mustBeFresh && at - listed.at < freshMs) return listed.entries
  const entries = listPids().flatMap((pid) => findProcess(pid) ?? [])
  listed = { at, entries }
  return entries
}

export interface MarkedProcess extends ProcessEntry {
  readonly marks: ReadonlyArray<string>
}

/** What is older than this host is nothing of its runs. */
const findMarked = (): ReadonlyArray<MarkedProcess> => {
  const ownStart = Number(findProcess(process.pid)?.start ?? 0)
  return listPids().flatMap((pid) => {
    const found = findProcess(pid)
    if (found === undefined || Number(found.start) < ownStart) return []
    const marks = marksOf(pid)
    return marks.length === 0 ? [] : [{ ...found, marks }]
  })
}

let look: Promise<ReadonlyArray<MarkedProcess>> | undefined

/**
 * All that carry the mark of a run. Runs can end by the hundred at once, and to look at every process takes
 * milliseconds: one look serves all who ask in the same turn of the event loop, and it begins after they have.
 */
export const listMarked = (): Promise<ReadonlyArray<MarkedProcess>> => {
  look ??= new Promise((resolve) => {
    setImmediate(() => {
      look = undefined
      resolve(findMarked())
    })
  })
  return look
}
