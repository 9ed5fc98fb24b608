/** When a drawn moment of a run has come: by its time, its program or its events. */
import { existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Moment } from "./scenario.ts"

export interface Watch {
  /** The consumer was given an event. */
  readonly onEvent: () => void
  readonly end: () => void
  /** False when the run has ended before. */
  readonly reached: (moment: Moment) => Promise<boolean>
}

/** The process that a program has told of itself first. */
export const programOf = (pidsFile: string): { readonly pid: number; readonly start: string } | undefined => {
  const [line = ""] = existsSync(pidsFile) ? readFileSync(pidsFile, "utf8").split("\n") : []
  const [pid, start] = line.split(" ")
  return start === undefined ? undefined : { pid: Number(pid), start }
}

const pollMs = 4

export const makeWatch = (pidsFile: string): Watch => {
  const startedAt = performance.now()
  const over = new AbortController()
  const waiting = new Map<() => void, number>()
  let received = 0

  const pass = (ms: number) => sleep(Math.max(0, ms), undefined, { signal: over.signal })
  const nth = (count: number) =>
    new Promise<void>((resolve, reject) => {
      if (received >= count) return resolve()
      waiting.set(resolve, count)
      over.signal.addEventListener("abort", () => reject(new Error("over")), { once: true })
    })
  const wait = async (moment: Moment) => {
    if (moment.after === "asked") return pass(moment.ms - (performance.now() - startedAt))
    if (moment.after === "event") return nth(moment.nth)
    while (programOf(pidsFile) === undefined) await pass(pollMs)
    return pass(moment.ms)
  }

  return {
    onEvent: () => {
      received += 1
      for (const [resolve, count] of waiting) if (received >= count) resolve()
    },
    end: () => over.abort(),
    reached: async (moment) => {
      if (over.signal.aborted) return false
      try {
        await wait(moment)
        return !over.signal.aborted
      } catch {
        return false
      }
    }
  }
}
