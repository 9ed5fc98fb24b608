/**
 * Runs the program: a signal interrupts it, and the process leaves only after stdout has taken everything. Node's own
 * `process.exit` drops what a pipe has not taken yet. Who signals twice does not wait for a reader that has stopped.
 */
import { Effect, Runtime } from "effect"

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

export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let count = 0
  const interrupt = () => {
    count += 1
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
