/** A consumer that is slower than its CLI: whether what waits for it costs more and more. */
import { claudeRun } from "../lines/runs.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { runOnce } from "../sample.ts"
import { verdict } from "../table.ts"

const names = { claudeSdk: "`@anthropic-ai/claude-agent-sdk`", reins: "Reins, `for await`" }
const pause = { every: 1_000, ms: 10 }

export const slow: Row = {
  names: ["slow"],
  measure: async ({ workspace, samples }) => {
    const stub = workspace.stubOf(claudeRun(200_000))
    const hosts = ["claudeSdk", "reins"] as const
    const taken = await inRounds(hosts, Math.min(samples, 3), (host) => runOnce(workspace, host, stub, { pause }), 0)
    const race = raceOf(names, taken)
    const columns = [
      race.column("CPU in ms", cpu),
      race.columnTimes("CPU × SDK", "claudeSdk", cpu),
      race.column("wall in ms", wall),
      race.column("peak in MB", peak),
      race.columnTimes("peak × SDK", "claudeSdk", peak)
    ]
    return [
      race.table(columns, {
        title: "A slow consumer",
        about: `200,000 Claude lines; the consumer pauses for ${pause.ms} ms after every ${pause.every.toLocaleString("en")} events or messages.`,
        verdicts: [
          verdict("CPU", race.times("reins", "claudeSdk", cpu), 0.5, " × SDK"),
          verdict("Peak memory", race.times("reins", "claudeSdk", peak), 1, " × SDK")
        ]
      })
    ]
  }
}
