/**
 * Who holds a claim: a process, named by its pid and the time of its start, since a pid is used again. Without /proc
 * (no Linux) there is no time, and the pid alone has to do.
 */
import { readFileSync } from "node:fs"
import { Context, Option, Predicate, type Semaphore } from "effect"

export interface Owner {
  readonly pid: number
  /** In the kernel's ticks since it was booted. */
  readonly start: string
}

export interface Host {
  readonly self: Owner
  readonly isAlive: (owner: Owner) => boolean
  /** One run after the other within this process, by file. */
  readonly gates: Map<string, Semaphore.Semaphore>
}

const readStat = Option.liftThrowable((pid: number) => readFileSync(`/proc/${pid}/stat`, "latin1"))

/** Also a process of another user, which may not be signalled, is there. */
const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return Predicate.hasProperty(cause, "code") && cause.code === "EPERM"
  }
}

const unknownStart = "0"

/** None for a process that is gone; a zombie is gone too. */
const startOf = (pid: number): Option.Option<string> =>
  Option.flatMap(readStat(pid), (stat) => {
    // The name of the program stands in parentheses and may hold any character; the state comes behind the last one.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" || state === "X" ? Option.none() : Option.fromUndefinedOr(fields[18])
  })

const makeHost = (): Host => {
  const start = startOf(process.pid)
  const hasTimes = Option.isSome(start)
  return {
    self: { pid: process.pid, start: Option.getOrElse(start, () => unknownStart) },
    isAlive: (owner) => (hasTimes ? Option.contains(startOf(owner.pid), owner.start) : exists(owner.pid)),
    gates: new Map()
  }
}

/** This process among the others; tests put a table of made-up processes in its place. */
export const HostProcess = Context.Reference<Host>("reins/HostProcess", { defaultValue: makeHost })
