/** The process table of Linux, from /proc, with the marks in environments. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs"
import { Effect } from "effect"
import { runMarker } from "../../contract/Plan.ts"
import { type MarkedProcess, makeRecent, oncePerTurn, type ProcessEntry, type ProcessTable } from "./processTable.ts"

/** Distinguishes the processes that have a pid one after the other: each has a new inode in /proc. */
interface ProcessInode {
  readonly ino: number
  readonly ctimeMs: number
}

export interface ProcFiles {
  readonly pids: () => ReadonlyArray<number>
  /** Returns undefined if the process has exited, or belongs to another user. */
  readonly read: (pid: number, name: "environ" | "stat") => string | undefined
  /** Returns undefined if the process has exited. */
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

/** `start` is in clock ticks since boot. */
const findProcess = (files: ProcFiles, pid: number): ProcessEntry | undefined => {
  const stat = files.read(pid, "stat")
  // The program's name is in parentheses and may contain any character; the state follows the last parenthesis.
  const [state, parent, ...rest] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? []
  const start = rest[17]
  if (start === undefined || state === "Z" || state === "X") return undefined
  return { pid, parent: Number(parent), start }
}

const findAll = (files: ProcFiles, pids: ReadonlyArray<number>) => pids.flatMap((pid) => findProcess(files, pid) ?? [])

const marksIn = (environ: string): ReadonlyArray<string> => {
  const variables = `\0${environ}\0`
  const name = `\0${runMarker}=`
  const at = variables.indexOf(name)
  return at === -1 ? [] : variables.slice(at + name.length, variables.indexOf("\0", at + 1)).split(" ")
}

interface Known extends ProcessInode {
  /** Undefined if it is not a process of this host's runs. */
  readonly marked: MarkedProcess | undefined
}

/**
 * Each process is read once, then recognised by its inode, since only its start marks it. One with an empty environment
 * is read again: it may be about to become another program.
 */
const makeFindMarked = (files: ProcFiles) => {
  let known = new Map<number, Known>()

  /** Returns undefined if the answer may change. */
  const examine = (pid: number, ownStart: number): Pick<Known, "marked"> | undefined => {
    const found = findProcess(files, pid)
    if (found === undefined) return undefined
    if (Number(found.start) < ownStart) return { marked: undefined }
    const environ = files.read(pid, "environ") ?? ""
    if (environ === "") return undefined
    const marks = marksIn(environ)
    return { marked: marks.length === 0 ? undefined : { ...found, marks } }
  }

  return (): ReadonlyArray<MarkedProcess> => {
    const ownStart = Number(findProcess(files, process.pid)?.start ?? 0)
    const before = known
    known = new Map()
    return files.pids().flatMap((pid) => {
      const inode = files.inode(pid)
      if (inode === undefined) return []
      const last = before.get(pid)
      const isSame = last?.ino === inode.ino && last.ctimeMs === inode.ctimeMs
      const now = isSame ? last : examine(pid, ownStart)
      if (now === undefined) return []
      known.set(pid, { ino: inode.ino, ctimeMs: inode.ctimeMs, marked: now.marked })
      return now.marked ?? []
    })
  }
}

const readRealm = () =>
  orUndefined(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`
  })

/** `look` uses only builtins: almost no time passes between the check of a process and the signal to it. */
const shell = `
look() {
  read -r stat < "/proc/$1/stat" || return 1
  set -- \${stat##*) }
  parent=$2 start=\${20}
  [ "$1" != Z ] && [ "$1" != X ]
}
entries() {
  for directory in /proc/[0-9]*; do
    look "\${directory#/proc/}" && echo "\${directory#/proc/}:$parent:$start"
  done
}
marked() {
  for file in $(grep -lF "$1" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    echo "\${file%/environ}"
  done
}
`

/** Tests have a /proc of their own. */
export const makeLinuxProcesses = (files = makeProcFiles()): ProcessTable => {
  const recent = makeRecent<ReadonlyArray<ProcessEntry>>()
  return {
    find: (pids) => Effect.sync(() => findAll(files, pids)),
    list: (mustBeFresh) =>
      Effect.sync(() => (mustBeFresh ? undefined : recent.get()) ?? recent.set(findAll(files, files.pids()))),
    marks: { of: (pid) => marksIn(files.read(pid, "environ") ?? ""), list: oncePerTurn(makeFindMarked(files)) },
    shell,
    realm: Effect.sync(readRealm),
    notGuaranteed: undefined
  }
}
