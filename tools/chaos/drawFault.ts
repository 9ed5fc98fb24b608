/** Draws who reads the events of a run, what is done to it from outside, and when; pure. */
import type { Dice } from "./dice.ts"
import type { Broken, Consumer, Fault, Moment, Program, Scenario } from "./scenario.ts"

/** The events of `run` are not visible. */
export const drawMoment = (dice: Dice, seesEvents: boolean): Moment =>
  dice.among<Moment>(
    [3, () => ({ after: "asked", ms: dice.spread(1, 1_500) })],
    [3, () => ({ after: "start", ms: dice.spread(1, 300) - 1 })],
    [seesEvents ? 4 : 0, () => ({ after: "event", nth: dice.spread(1, 12) })]
  )

export const drawConsumer = (dice: Dice): Consumer => ({
  takes: dice.chance(0.8) ? "all" : dice.spread(1, 10),
  pause: dice.chance(0.2) ? { after: dice.spread(1, 6) - 1, ms: dice.spread(30, 2_000) } : null
})

const broken: readonly [Broken, ...ReadonlyArray<Broken>] = [
  "command", "not executable", "directory", "option", "argument", "long argument", "record"
] // biome-ignore format: one list

interface FaultOptions {
  readonly door: Scenario["door"]
  readonly consumer: Consumer | null
  readonly isAlone: boolean
}

export const drawFault = (dice: Dice, { door, consumer, isAlone }: FaultOptions): Fault | null => {
  const at = () => drawMoment(dice, consumer !== null)
  // A promise cannot be left: `run` of that door is stopped by its signal.
  const leaving = consumer === null && door === "promise" ? "abort" : "leave"
  return dice.among<Fault | null>(
    [36, () => null],
    [18, () => ({ is: "abort", at: at() })],
    [14, () => ({ is: leaving, at: at() })],
    [3, () => ({ is: "aborted before" })],
    [16, () => ({ is: "signal", signal: dice.pick(["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT", "SIGSTOP"]), at: at() })],
    [7, () => ({ is: "total", ms: dice.spread(50, 2_000) })],
    [isAlone ? 6 : 0, () => ({ is: "broken", what: dice.pick(broken) })]
  )
}

/** A tool that keeps printing would keep a stopped program from being silent. */
export const fitting = (fault: Fault | null, { tools }: Program): Fault | null =>
  fault?.is === "signal" && fault.signal === "SIGSTOP" && tools.some(({ is }) => is === "chats")
    ? { ...fault, signal: "SIGKILL" }
    : fault
