/**
 * Forks work that ends with a scope at the latest: `FiberSet.makeRuntime` for each run and session, where a set, its deferred
 * and their scopes are a tenth of what the end of an idle session costs.
 */
import { Effect, Fiber } from "effect"
import type { Fork } from "./admission.ts"

export const scopedFork = Effect.gen(function* () {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const running = new Set<Fiber.Fiber<void>>()
  let isClosed = false
  yield* Effect.addFinalizer(() => {
    isClosed = true
    return running.size === 0 ? Effect.void : Fiber.interruptAll([...running])
  })
  const fork: Fork = (effect) => {
    const fiber = runFork(isClosed ? Effect.interrupt : effect)
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }
  return fork
})
