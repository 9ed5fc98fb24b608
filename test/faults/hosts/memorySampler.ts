/** How much memory this process has come to need since the sampler was made, in MB (Linux). */
import { readFileSync, writeFileSync } from "node:fs"

const megabyte = 1_000_000

/** The most that was resident at any moment, garbage and all, as the kernel has seen it. */
const mostResident = () => {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]
  return (Number(kilobytes) * 1024) / megabyte
}

/** JavaScript's memory and the buffers beside it, without garbage. */
const live = () => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / megabyte
}

export const makeSampler = () => {
  const liveBefore = live()
  const residentBefore = process.memoryUsage.rss() / megabyte
  // From here on the kernel begins anew.
  writeFileSync("/proc/self/clear_refs", "5")

  return {
    /** The increase since then. `resident` is the peak so far, `live` is in use at this moment. */
    grown: () => ({
      resident: Math.round(mostResident() - residentBefore),
      live: Math.round(live() - liveBefore)
    })
  }
}

export type Sampler = ReturnType<typeof makeSampler>
