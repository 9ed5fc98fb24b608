/**
 * Many runs one after the other, each with a pipe for a CLI: the host itself writes the lines, so that it knows to the
 * microsecond when the last one was there. What is told of a run: from the call to its first event, and from the last
 * line to `done` and to the end of everything, in milliseconds.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { measure, task } from "./measure.mjs"

/** Until the reader has nothing left to do. */
const pauseMs = 20

/** @param {(on: { event: () => void, done: () => void }) => Promise<unknown>} run */
const start = async (run) => {
  // Held open for reading, too: to open it does not wait for the other end then.
  const pipe = openSync(task.pipe, "r+")
  writeSync(pipe, task.beginning)
  let first = 0
  let last = 0
  let done = 0
  const end = () => {
    last = performance.now()
    writeSync(pipe, task.end)
    closeSync(pipe)
  }
  const from = performance.now()
  await run({
    event: () => {
      if (first !== 0) return
      first = performance.now()
      setTimeout(end, pauseMs)
    },
    done: () => {
      done = performance.now()
    }
  })
  return { first: first - from, done: done - last, over: performance.now() - last }
}

/** @param {(on: { event: () => void, done: () => void }) => Promise<unknown>} run */
export const measureStarts = (run) =>
  measure(
    async () => {
      const starts = []
      for (let nth = 0; nth < task.starts; nth++) starts.push(await start(run))
      return { starts }
    },
    (known) => known
  )
