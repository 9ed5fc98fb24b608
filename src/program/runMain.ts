/**
 * Runs the program: a signal interrupts it, and the process leaves only after stdout has taken everything. Node's own
 * `process.exit` drops what a pipe has not taken yet.
 */
import { Runtime } from "effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** A reader that is gone is told by the write that fails; Node would also end the process with a stack trace. */
const ignoreError = () => {}

export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  const interrupt = () => fiber.interruptUnsafe()
  process.stdout.on("error", ignoreError)
  process.stderr.on("error", ignoreError)
  for (const signal of signals) process.on(signal, interrupt)
  fiber.addObserver((exit) => {
    for (const signal of signals) process.off(signal, interrupt)
    teardown(exit, (code) => process.stdout.write("", () => process.stderr.write("", () => process.exit(code))))
  })
})
