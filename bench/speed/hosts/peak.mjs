/** The most resident memory that this process ever had, in MB; by itself, so that it can stand where nothing else is loaded. */
import { readFileSync } from "node:fs"

/** Its own peak: `maxRSS` of a process also counts the one that started it. */
export const peakMb = () => {
  try {
    return (Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024) / 1e6
  } catch {
    return (process.resourceUsage().maxRSS * 1024) / 1e6
  }
}
