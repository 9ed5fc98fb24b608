/** The process table of Linux, from /proc: all that is asked of one, also who carries which mark. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { Effect } from "effect"
import { runMarker } from "../contract/Plan.ts"
import { type MarkedProcess, makeRecent, oncePerTurn, type ProcessEntry, type ProcessTable } from "./processTable.ts"

/** Undefined: the process has left, or belongs to another user. */
const read = (pid: number, file: "environ" | "stat") => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return undefined
  }
}

/** `start` is in the kernel's ticks since it was booted. */
const findProcess = (pid: number): ProcessEntry | undefined => {
  const stat = read(pid, "stat")
  // The name of the program stands in parentheses and may hold any character; the state comes behind the last one.
  const [state, parent, ...rest] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? []
  const start = rest[17]
  if (start === undefined || state === "Z" || state === "X") return undefined
  return { pid, parent: Number(parent), start }
}

const findAll = (pids: ReadonlyArray<number>) => pids.flatMap((pid) => findProcess(pid) ?? [])

const listPids = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

const marksOf = (pid: number): ReadonlyArray<string> => {
  const variables = (read(pid, "environ") ?? "").split("\0")
  const mark = variables.find((variable) => variable.startsWith(`${runMarker}=`))
  return mark?.slice(runMarker.length + 1).split(" ") ?? []
}

const findMarked = (): ReadonlyArray<MarkedProcess> => {
  const ownStart = Number(findProcess(process.pid)?.start ?? 0)
  return listPids().flatMap((pid) => {
    const found = findProcess(pid)
    if (found === undefined || Number(found.start) < ownStart) return []
    const marks = marksOf(pid)
    return marks.length === 0 ? [] : [{ ...found, marks }]
  })
}

const readRealm = () => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return undefined
  }
}

/**
 * Only what is built into the shell is used where a process is looked at: no other one can be put in its place in between.
 */
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

export const makeLinuxProcesses = (): ProcessTable => {
  const recent = makeRecent<ReadonlyArray<ProcessEntry>>()
  return {
    find: (pids) => Effect.sync(() => findAll(pids)),
    list: (mustBeFresh) =>
      Effect.sync(() => (mustBeFresh ? undefined : recent.get()) ?? recent.set(findAll(listPids()))),
    marks: { of: marksOf, list: oncePerTurn(findMarked) },
    shell,
    realm: Effect.sync(readRealm),
    notGuaranteed: undefined
  }
}
