/**
 * The report of a host: processor time from the end of its imports to the end of the run, its peak of resident
 * memory, and what it has read. Plain JavaScript, as users' builds are: to strip types would cost the host 18 MB.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeSync } from "node:fs"

/** Its own peak: `maxRSS` of a process also counts the one that started it. */
const peakMb = () => {
  try {
    return (Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024) / 1e6
  } catch {
    return (process.resourceUsage().maxRSS * 1024) / 1e6
  }
}

export const task = JSON.parse(process.argv[2] ?? "{}")

/** @param {unknown} facts */
const tell = (facts) => writeSync(3, JSON.stringify(facts))

/**
 * One sample: what `run` gives is told by `describe`, whose work is not measured.
 * @template Seen
 * @param {() => Promise<Seen>} run
 * @param {(seen: Seen) => object} describe
 */
export const measure = async (run, describe) => {
  const from = performance.now()
  const before = process.cpuUsage()
  const seen = await run()
  const { user, system } = process.cpuUsage(before)
  const wallMs = performance.now() - from
  tell({ cpuMs: (user + system) / 1000, wallMs, peakMb: peakMb(), ...describe(seen) })
  process.exit(0)
}

/**
 * The output that one run has read, with a hash instead of the text.
 * @param {{ text: string, toolCalls: number, outputCharacters: number, told: string }} seen
 */
export const whatWasRead = (seen) => ({ ...seen, text: createHash("sha1").update(seen.text).digest("hex") })
