/** A long answer of Pi 0.73.1, each line of which has the answer so far, twice: Reins beside the hand-written loop. */
import { makeSay } from "../lines/words.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { runOnce } from "../sample.ts"
import { verdict } from "../table.ts"

const names = { loopPi: "hand-written loop", reins: "Reins, `for await`", reinsRun: "Reins, `run()`" }

/** As long as the tokens of a model. */
const pieces = (count: number) => {
  const say = makeSay()
  const words = Array.from({ length: count }, say)
    .join("")
    .split(/(?<= )/)
  return words.slice(0, count)
}

export const pi: Row = {
  names: ["pi"],
  measure: async ({ workspace, samples }) => {
    const stub = workspace.piStub(pieces(20_000))
    const hosts = ["loopPi", "reins", "reinsRun"] as const
    const race = raceOf(
      names,
      await inRounds(hosts, Math.min(samples, 3), (host) => runOnce(workspace, host, stub, { cli: "pi" }))
    )
    const columns = [
      race.column("CPU in ms", cpu),
      race.columnTimes("CPU × loop", "loopPi", cpu),
      race.column("wall in ms", wall),
      race.column("peak in MB", peak)
    ]
    return [
      race.table(columns, {
        title: "CPU of an answer of Pi 0.73.1 in 20,000 pieces against the hand-written loop",
        about: "Each line repeats the answer so far, twice: about 4 GB.",
        verdicts: (["reins", "reinsRun"] as const).map((host) =>
          verdict(names[host], race.times(host, "loopPi", cpu), 2, " × loop")
        )
      })
    ]
  }
}
