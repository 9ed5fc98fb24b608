/** How a host on a shared store begins: its job, its dice, what it says on stdout, and its end, which is that of stdin. */
import { text } from "node:stream/consumers"
import { openStore } from "reins/promise"
import { makeDice } from "./dice.ts"
import { clockMs } from "./hosts.ts"

/** The directory of a store's file, or the URL of its server. */
export type StorePlace = { readonly directory: string } | { readonly url: string }

export interface StoreJob {
  readonly seed: number
  readonly number: number
  readonly store: StorePlace
}

/** Something that no host may meet. */
export interface Broke {
  readonly is: "broke"
  /** Time of the machine's monotonic clock, in ms. */
  readonly at: number
  readonly problem: string
}

type Said<Line> = Line extends { readonly at: number } ? Omit<Line, "at"> : never

/** `Job` is the script's argument as JSON, `Line` one line of its stdout. */
export const beginHost = <Job extends StoreJob, Line extends { readonly at: number }>() => {
  const job: Job = JSON.parse(process.argv[2] ?? "")
  const write = (line: object) => {
    process.stdout.write(`${JSON.stringify({ at: clockMs(), ...line })}\n`)
  }
  let isOver = false
  void text(process.stdin).then(() => {
    isOver = true
  })
  const say = (line: Said<Line>) => write(line)
  return {
    job,
    dice: makeDice(job.seed, job.number),
    say,
    broke: (problem: string) => write({ is: "broke", problem: problem.slice(0, 2_000) }),
    isOver: () => isOver,
    open: () => openStore("url" in job.store ? { postgres: job.store.url } : job.store)
  }
}
