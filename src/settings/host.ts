/**
 * Who holds a claim: a process, named by its pid and the time of its start, since a pid is used again. Without /proc
 * (no Linux) there is no time, and the pid alone has to do.
 */
import { Context, Predicate, type Semaphore } from "effect"
import { findProcess } from "../process/processTable.ts"

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

/** Also a process of another user, which may not be signalled, is there. */
const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return Predicate.hasProperty(cause, "code") && cause.code === "EPERM"
  }
}

const unknownStart = "0"

const makeHost = (): Host => {
  const self = findProcess(process.pid)
  return {
    self: { pid: process.pid, start: self?.start ?? unknownStart },
    isAlive: (owner) => (self === undefined ? exists(owner.pid) : findProcess(owner.pid)?.start === owner.start),
    gates: new Map()
  }
}

/** This process among the others; tests put a table of made-up processes in its place. */
export const HostProcess = Context.Reference<Host>("reins/HostProcess", { defaultValue: makeHost })
