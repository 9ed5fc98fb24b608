/**
 * The report of a host: processor time from the end of its imports to the end of the run, its peak of resident
 * memory, and what it has read. Plain JavaScript, as users' builds are: to strip types would cost the host 18 MB.
 */
import { createHash } from "node:crypto"
import { writeSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { peakMb } from "./peak.mjs"

export const task = JSON.parse(process.argv[2] ?? "{}")

/**
 * Pauses of a slow consumer, after every so many events. Undefined for none.
 * @type {undefined | (() => undefined | Promise<void>)}
 */
export const pause = (() => {
  if (task.pause === undefined) return undefined
  const { every, ms } = task.pause
  let count = 0
  return () => (++count % every === 0 ? sleep(ms) : undefined)
})()

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
  const known = await run()
  const { user, system } = process.cpuUsage(before)
  const wallMs = performance.now() - from
  tell({ cpuMs: (user + system) / 1000, wallMs, peakMb: peakMb(), ...describe(known) })
  process.exit(0)
}

/**
 * The output that one run has read, with a hash instead of the text.
 * @param {{ text: string, toolCalls: number, outputCharacters: number, told: string }} known
 */
export const whatWasRead = (known) => ({ ...known, text: createHash("sha1").update(known.text).digest("hex") })
