/** Disturbances of a child host's time: its date is set, its event loop is blocked, or it is stopped from outside. */
import type { ChildProcess } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import type { Dice } from "./dice.ts"

export type Disturbance =
  | { readonly is: "date set"; readonly atMs: number; readonly byMs: number }
  | { readonly is: "loop blocked" | "host stopped"; readonly atMs: number; readonly ms: number }

/** Longer than every budget that a healthy program keeps. */
const hold = (dice: Dice) => dice.spread(300, 6_000)

export const drawDisturbances = (dice: Dice): ReadonlyArray<Disturbance> =>
  Array.from({ length: dice.pick([0, 1, 1, 2, 3]) }, () => {
    const atMs = dice.spread(1, 2_000)
    return dice.among<Disturbance>(
      [2, () => ({ is: "date set", atMs, byMs: dice.pick([1, -1]) * dice.spread(1_000, 7_200_000) })],
      [1, () => ({ is: "loop blocked", atMs, ms: hold(dice) })],
      [1, () => ({ is: "host stopped", atMs, ms: hold(dice) })]
    )
  })

/** By how much they delay whatever the host does. */
export const heldMs = (disturbances: ReadonlyArray<Disturbance>) =>
  disturbances.reduce((sum, one) => sum + (one.is === "date set" ? 0 : one.ms), 0)

const date = Date.now

/** In the host itself. Its timers keep nothing alive. */
export const disturbHere = (disturbances: ReadonlyArray<Disturbance>) => {
  let offsetMs = 0
  for (const one of disturbances) {
    const act = () => {
      if (one.is === "loop blocked") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, one.ms)
      if (one.is !== "date set") return
      offsetMs += one.byMs
      Date.now = () => date() + offsetMs
    }
    if (one.is !== "host stopped") setTimeout(act, one.atMs).unref()
  }
}

/** From outside; gives those that came before its end. One that is stopped is always continued. */
export const disturb = async (host: ChildProcess, disturbances: ReadonlyArray<Disturbance>, over: AbortSignal) => {
  const startedAt = performance.now()
  const fired: Array<Disturbance["is"]> = []
  const pass = (ms: number) => sleep(Math.max(0, ms), undefined, { signal: over }).catch(() => {})
  for (const one of disturbances.toSorted((a, b) => a.atMs - b.atMs)) {
    await pass(one.atMs - (performance.now() - startedAt))
    if (over.aborted) break
    fired.push(one.is)
    if (one.is !== "host stopped" || !host.kill("SIGSTOP")) continue
    await pass(one.ms)
    host.kill("SIGCONT")
  }
  return fired
}
