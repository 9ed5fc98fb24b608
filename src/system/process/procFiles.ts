/** The files of processes in /proc, read in the fewest system calls: they are read at the end of each run. */
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs"

/** Distinguishes the processes that have a pid one after the other: each has a new inode in /proc. */
export interface ProcessInode {
  readonly ino: number
  readonly ctimeMs: number
}

export interface ProcFiles {
  readonly pids: () => ReadonlyArray<number>
  /** Undefined: the process has exited, or belongs to another user. */
  readonly read: (pid: number, name: "environ" | "stat") => string | undefined
  /** Undefined: the process has exited. */
  readonly inode: (pid: number) => ProcessInode | undefined
}

/** `readFileSync` takes three times as long for such a file, which reports no size. */
const page = Buffer.allocUnsafeSlow(16 * 1024)

const readAll = (file: number) => {
  let text = ""
  for (let length = -1; length !== 0; ) {
    length = readSync(file, page, 0, page.length, null)
    text += page.toString("latin1", 0, length)
  }
  return text
}

const orUndefined = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

export const makeProcFiles = (root = "/proc"): ProcFiles => ({
  pids: () => orUndefined(() => readdirSync(root).map(Number).filter(Number.isInteger)) ?? [],
  read: (pid, name) =>
    orUndefined(() => {
      const file = openSync(`${root}/${pid}/${name}`, "r")
      try {
        return readAll(file)
      } finally {
        closeSync(file)
      }
    }),
  inode: (pid) => orUndefined(() => statSync(`${root}/${pid}`, { throwIfNoEntry: false }))
})
