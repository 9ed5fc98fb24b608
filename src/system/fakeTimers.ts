/**
 * Fibers go on by `setImmediate`, which Effect reads from `globalThis` at each use: under a fake one nothing of a run moves,
 * and no limit of the run can end it. Says so, once for each such function.
 */
import { hostWide } from "../contract/acrossCopies.ts"

const lookAfterMs = 1_000

const hint =
  "Nothing of a run moves, since setImmediate is replaced, as by the fake timers of a test: leave it real, by" +
  ' vi.useFakeTimers({ toFake: ["setTimeout", "Date"] }) or mock.timers.enable({ apis: ["setTimeout", "Date"] })'

/** Taken when this is loaded: `mock.timers.enable()` of Node (24) replaces it, too, and Vitest does not. */
const realTimeout = AbortSignal.timeout.bind(AbortSignal)
const afterAWhile = (run: () => void) => realTimeout(lookAfterMs).addEventListener("abort", run, { once: true })

/** For each start of a run or session at the plain door, before its first fiber. */
export const hintAtFakeTimers = (): void => {
  const state = hostWide("fake-timers@1", () => ({ known: undefined as unknown }))
  if (state.known === globalThis.setImmediate) return
  state.known = globalThis.setImmediate
  let hasMoved = false
  globalThis.setImmediate(() => {
    hasMoved = true
  })
  // A host that was blocked serves the signal first, and has moved at the second look.
  afterAWhile(() => {
    if (hasMoved) return
    afterAWhile(() => {
      if (!hasMoved) process.emitWarning(hint, { code: "REINS_FAKE_TIMERS" })
    })
  })
}
