/**
 * Many runs at once, whose texts carry the time at which they were written (`@` and nanoseconds of the system's clock).
 * Reported for each run: how late its texts were read, in milliseconds.
 */
import { measure, task } from "./measure.mjs"

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
    (delays) => ({ delays })
  )
