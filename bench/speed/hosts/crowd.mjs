/**
 * Many runs at once, whose texts carry the time at which they were written (`@` and nanoseconds of the system's clock).
 * What is told: how late they were read, over all runs and in the run that had to wait most, in milliseconds.
 */
import { measure, task } from "./measure.mjs"

/** @param {ReadonlyArray<number>} sorted @param {number} share */
const percentile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN

/** @param {string} text */
const delayOf = (text) => (Number(process.hrtime.bigint()) - Number(text.slice(1, text.indexOf(" ")))) / 1e6

/** @param {(pipe: string, heard: (text: string) => void) => Promise<unknown>} run */
export const measureCrowd = (run) =>
  measure(
    () =>
      Promise.all(
        task.pipes.map(async (/** @type {string} */ pipe) => {
          /** @type {Array<number>} */
          const delays = []
          await run(pipe, (text) => delays.push(delayOf(text)))
          return delays
        })
      ),
    (runs) => {
      const sorted = (/** @type {ReadonlyArray<number>} */ delays) => delays.toSorted((a, b) => a - b)
      const all = sorted(runs.flat())
      const worst = Math.max(...runs.map((delays) => percentile(sorted(delays), 0.99)))
      return { heard: all.length, median: percentile(all, 0.5), p99: percentile(all, 0.99), worst, runs: runs.length }
    }
  )
