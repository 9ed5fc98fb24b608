/**
 * Runs the program: a signal interrupts it, and the process leaves only after stdout has taken everything. Node's own
 * `process.exit` drops what a pipe has not taken yet. Who signals twice waits for nothing: where a reaper watches over
 * the host (Linux), it ends what the run has started.
 */
import { Effect, Runtime } from "effect"
import { printNow } from "./output.ts"
import { sequence } from "./sequences.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Completes with the next signal; what a first one began, a second can hurry. */
export const nextSignal: Effect.Effect<void> = Effect.callback((resume) => {
  const done = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, done)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, done)
  })
})

/** A reader that is gone is told by the write that fails; Node would also end the process with a stack trace. */
const ignoreError = () => {}

const eraseLine = sequence("\r\x1b[2K")

const leaveNow = () => {
  if (process.stdout.isTTY) printNow("stdout", eraseLine)
  process.exit(interrupted)
}

const interrupted = 130

export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let count = 0
  const interrupt = () => {
    count += 1
    if (count > 1 && process.platform === "linux") leaveNow()
    fiber.interruptUnsafe()
  }
  process.stdout.on("error", ignoreError)
  process.stderr.on("error", ignoreError)
  for (const signal of signals) process.on(signal, interrupt)
  fiber.addObserver((exit) => {
    for (const signal of signals) process.off(signal, interrupt)
    teardown(exit, (code) => {
      if (count > 1) process.exit(code)
      process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
    })
  })
})
