/** The open resources of this process: descriptors by their target, handles by their kind. */
import { readdirSync, readlinkSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Finding } from "./checks.ts"

type Counts = Readonly<Record<string, number>>

export interface Resources {
  readonly descriptors: Counts
  readonly handles: Counts
}

const countsOf = (names: ReadonlyArray<string>): Counts => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const targetOf = (fd: string): ReadonlyArray<string> => {
  try {
    // Without the number that each pipe and socket has.
    return [readlinkSync(`/proc/self/fd/${fd}`).replace(/:\[\d+\]$/, "")]
  } catch {
    return [] // that by which this directory was read
  }
}

/** Work for the pool of threads comes and goes by itself. */
const isLasting = (handle: string) => handle !== "FSReqPromise" && handle !== "FSReqCallback" && handle !== "Immediate"

export const readResources = (): Resources => ({
  descriptors: countsOf(readdirSync("/proc/self/fd").flatMap(targetOf)),
  handles: countsOf(process.getActiveResourcesInfo().filter(isLasting))
})

const grown = (before: Counts, now: Counts): ReadonlyArray<string> =>
  Object.entries(now)
    .filter(([name, count]) => count > (before[name] ?? 0))
    .map(([name, count]) => `${count - (before[name] ?? 0)} more of ${name}`)

/** Resources beyond `before`, once those that are about to close have closed. */
export const leaksSince = async (before: Resources): Promise<ReadonlyArray<Finding>> => {
  const deadline = performance.now() + 5_000
  while (true) {
    // This timer itself is one of the handles only while it waits.
    await sleep(50)
    const now = readResources()
    const findings: ReadonlyArray<Finding> = [
      ...grown(before.descriptors, now.descriptors).map((detail): Finding => ({ kind: "leaked descriptors", detail })),
      ...grown(before.handles, now.handles).map((detail): Finding => ({ kind: "leaked handles", detail }))
    ]
    if (findings.length === 0 || performance.now() > deadline) return findings
  }
}
