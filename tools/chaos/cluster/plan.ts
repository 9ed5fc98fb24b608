/** Events of a cluster, and their times: drawn from the seed alone; pure. */
import { makeDice } from "../dice.ts"

/** How many there are, and how many programs send them turns. */
export const machineCount = 3
export const clientCount = 2
export const conversationCount = 12

export type Disturbance =
  /** A machine's runner dies, and another is started in its place. */
  | { readonly is: "kill"; readonly machine: number; readonly downMs: number }
  /** The runner stands still; with all that it has started if the machine does. */
  | { readonly is: "freeze" | "freeze all"; readonly machine: number; readonly ms: number }
  /** The runner is to leave in good order, and another is started. */
  | { readonly is: "term"; readonly machine: number; readonly downMs: number }
  /** Links to it, or from it to the database: connections break, or stall without breaking. */
  | {
      readonly is: "cut" | "stall"
      readonly machine: number
      readonly link: "peers" | "database"
      readonly ms: number
    }
  | { readonly is: "database"; readonly mode: "fast" | "immediate"; readonly downMs: number }
  /** A program that waits for answers dies; the next one asks the same turns again. */
  | { readonly is: "client"; readonly client: number }

export interface Planned {
  /** Since the start. */
  readonly atMs: number
  readonly disturbance: Disturbance
}

/** Disturbances that are at work in one place exclude each other there. */
export const placeOf = (disturbance: Disturbance): string => {
  if (disturbance.is === "database") return "database"
  if (disturbance.is === "client") return `client ${disturbance.client}`
  if (disturbance.is === "cut" || disturbance.is === "stall") {
    return `${disturbance.link} of machine ${disturbance.machine}`
  }
  return `machine ${disturbance.machine}`
}

/** As it is counted. */
export const nameOf = (disturbance: Disturbance): string => {
  if (disturbance.is === "database") return `database ${disturbance.mode}`
  if (disturbance.is === "cut" || disturbance.is === "stall") return `${disturbance.is} ${disturbance.link}`
  return disturbance.is === "client" ? "client killed" : disturbance.is
}

/** About one in 1.5 s. */
const gapMs = [500, 3_600] as const

export const planOf = (seed: number, seconds: number): ReadonlyArray<Planned> => {
  const dice = makeDice(seed, 0)
  const plan: Array<Planned> = []
  let atMs = 1_000
  while (atMs < seconds * 1_000) {
    const machine = dice.between(1, machineCount)
    const disturbance = dice.among<Disturbance>(
      [5, () => ({ is: "kill", machine, downMs: dice.spread(50, 6_000) })],
      [2, () => ({ is: "freeze", machine, ms: dice.spread(3_000, 20_000) })],
      [2, () => ({ is: "freeze all", machine, ms: dice.spread(3_000, 20_000) })],
      [2, () => ({ is: "term", machine, downMs: dice.spread(50, 3_000) })],
      [
        4,
        () => ({
          is: dice.pick(["cut", "stall"]),
          machine,
          link: dice.pick(["peers", "database"]),
          ms: dice.spread(300, 12_000)
        })
      ],
      [1, () => ({ is: "database", mode: dice.pick(["fast", "immediate"]), downMs: dice.spread(50, 5_000) })],
      [1, () => ({ is: "client", client: dice.between(1, clientCount) })]
    )
    plan.push({ atMs, disturbance })
    atMs += dice.spread(...gapMs)
  }
  return plan
}
