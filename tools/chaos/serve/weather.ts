/** Misfortunes of a host besides its people: signals, full disks, clocks that jump. Pure. */
import type { Dice } from "../dice.ts"

export type Weather =
  | { readonly what: "signal"; readonly signal: "SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP"; readonly inTurn: boolean }
  /** The disk of its state takes nothing for so long. */
  | { readonly what: "full"; readonly ms: number }
  | { readonly what: "jump"; readonly wallMs: number; readonly monotonicMs: number }

const hourMs = 3_600_000
const night = 9 * hourMs

/** A laptop that slept, on Linux and on macOS, and a date that is set back. */
export const jumps = [
  { what: "jump", wallMs: night, monotonicMs: 0 },
  { what: "jump", wallMs: -hourMs, monotonicMs: 0 },
  { what: "jump", wallMs: night, monotonicMs: night }
] as const satisfies ReadonlyArray<Weather>

const fullOf = (dice: Dice): Weather => ({ what: "full", ms: dice.spread(800, 4_000) })

/** On one host: what it must live through. For ever, one of each first. */
export function* changesOf(dice: Dice): Generator<Weather> {
  const first = dice.between(0, jumps.length - 1)
  const [jump, ...others] = [...jumps.slice(first), ...jumps.slice(0, first)]
  if (jump !== undefined) yield jump
  yield fullOf(dice)
  yield* others
  while (true) {
    yield dice.among<Weather>([1, () => fullOf(dice)], [1, () => dice.pick(jumps)])
  }
}

/** The same, and hosts that end. */
export function* stormOf(dice: Dice): Generator<Weather> {
  const changes = changesOf(dice)
  const change = (): Weather => changes.next().value
  const signal = (name: Extract<Weather, { what: "signal" }>["signal"]) => (): Weather => ({
    ...{ what: "signal", signal: name },
    inTurn: dice.chance(0.6)
  })
  yield { what: "signal", signal: "SIGKILL", inTurn: true }
  while (true) {
    yield dice.among<Weather>(
      [4, signal("SIGKILL")],
      [2, signal("SIGTERM")],
      [1, signal("SIGINT")],
      [3, signal("SIGHUP")],
      [4, change]
    )
  }
}
