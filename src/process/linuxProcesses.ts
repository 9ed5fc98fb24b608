/** The process table of Linux, from /proc, with the marks in environments. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { Effect } from "effect"
import { runMarker } from "../contract/Plan.ts"
import { type MarkedProcess, makeRecent, oncePerTurn, type ProcessEntry, type ProcessTable } from "./processTable.ts"

/** Undefined: the process has exited, or belongs to another user. */
const read = (pid: number, file: "environ" | "stat") => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return undefined
  }
}

/** `start` is in clock ticks since boot. */
const findProcess = (pid: number): ProcessEntry | undefined => {
  const stat = read(pid, "stat")
  // The program's name is in parentheses and may contain any character; the state follows the last parenthesis.
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
 * `look` uses only shell builtins, so that almost no time passes between the check of a process and the signal to it.
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
