/**
 * Signals (Ctrl-C, SIGTERM, SIGHUP) and the end of the process. The first signal interrupts the program, which still shows
 * how the run ended; a second one ends it at once. The process exits only after stdout has taken everything: Node's
 * `process.exit` drops what a pipe has not taken yet.
 */
import { Effect, Fiber, Runtime, type Scope } from "effect"
import { printNow } from "./output.ts"
import { sequence } from "./sequences.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

const nextSignal: Effect.Effect<void> = Effect.callback((resume) => {
  const done = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, done)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, done)
  })
})

/** Runs work whose signal is aborted when the program is interrupted, and waits for its end. A second signal interrupts it. */
export const untilStopped = <A, E, R>(work: (signal: AbortSignal) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = new AbortController()
      const fiber = yield* Effect.forkChild(restore(work(stop.signal)))
      const abort = Effect.gen(function* () {
        stop.abort()
        yield* Effect.raceFirst(Fiber.await(fiber), Effect.andThen(nextSignal, Fiber.interrupt(fiber)))
      })
      return yield* restore(Fiber.join(fiber)).pipe(Effect.onInterrupt(() => abort))
    })
  )

type Listener = (signal: NodeJS.Signals) => void

/** One for the process, whose signals are global. */
let listener: Listener | undefined

/** Sends signals to the listener until the scope closes; they interrupt nothing. */
export const takeSignals = (listen: Listener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      listener = listen
    }),
    () =>
      Effect.sync(() => {
        listener = undefined
      })
  )

/** A closed stdout fails the write that notices it; without a listener Node would end the process with a stack trace. */
const ignoreError = () => {}
const eraseLine = sequence("\r\x1b[2K")
const interruptedCode = 130

/** On Linux the reaper ends the processes that were started. */
export const exitNow = (): void => {
  if (process.stdout.isTTY) printNow("stdout", eraseLine)
  process.exit(interruptedCode)
}

export const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let count = 0
  const interrupt = (signal: NodeJS.Signals) => {
    if (listener !== undefined) return listener(signal)
    count += 1
    if (count > 1 && process.platform === "linux") exitNow()
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
