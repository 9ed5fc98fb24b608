/** Which processes of a step live, from /proc: by the mark that the step gives them, and by the pids they told. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Room, stepMark } from "./room.ts"

export interface Survivor {
  readonly pid: number
  readonly start: string
  readonly command: string
}

const read = (pid: number, file: "environ" | "stat" | "cmdline") => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return ""
  }
}

/** Undefined for a process that is gone; a zombie is gone, too. */
export const startOf = (pid: number): string | undefined => {
  const stat = read(pid, "stat")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
}

const allPids = () => readdirSync("/proc").map(Number).filter(Number.isInteger)

const survivor = (pid: number): ReadonlyArray<Survivor> => {
  const start = startOf(pid)
  return start === undefined ? [] : [{ pid, start, command: read(pid, "cmdline").replaceAll("\0", " ").slice(0, 200) }]
}

const reported = ({ root }: Pick<Room, "root">): ReadonlyArray<Survivor> =>
  readdirSync(root)
    .filter((name) => name.startsWith("pids-") && existsSync(join(root, name)))
    .flatMap((name) => readFileSync(join(root, name), "utf8").split("\n").slice(0, -1))
    .flatMap((line) => {
      const [pid, start] = line.split(" ")
      return survivor(Number(pid)).filter((found) => found.start === start)
    })

/** Also those whose arguments say so: the reaper of a child host has no mark. */
export const livingOf = (room: Pick<Room, "root" | "mark">, inArguments?: string): ReadonlyArray<Survivor> => {
  const marked = allPids().filter((pid) => read(pid, "environ").split("\0").includes(`${stepMark}=${room.mark}`))
  const named = inArguments === undefined ? [] : allPids().filter((pid) => read(pid, "cmdline").includes(inArguments))
  const found = [...[...marked, ...named].flatMap(survivor), ...reported(room)]
  return found.filter(({ pid }, index) => found.findIndex((other) => other.pid === pid) === index)
}

/** The environment of a process that is just starting another program reads as empty: it is looked for twice. */
const looks = 2

export const waitUntilGone = async (look: () => ReadonlyArray<Survivor>, forMs: number) => {
  const deadline = performance.now() + forMs
  let empty = 0
  while (empty < looks) {
    const living = look()
    empty = living.length === 0 ? empty + 1 : 0
    if (living.length > 0 && performance.now() > deadline) return living
    if (empty < looks) await sleep(20)
  }
  return []
}

/** Only while it is the process that was found; tells whether it was. */
export const signal = ({ pid, start }: Pick<Survivor, "pid" | "start">, name: NodeJS.Signals): boolean => {
  try {
    return startOf(pid) === start && process.kill(pid, name)
  } catch {
    return false
  }
}

export const killAll = (survivors: ReadonlyArray<Survivor>) => {
  for (const survivor of survivors) signal(survivor, "SIGKILL")
}
