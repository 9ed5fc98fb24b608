/** 200,000 Codex lines: Reins beside the official SDK. */
import { codexRun } from "../lines/runs.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { runOnce } from "../sample.ts"
import { verdict } from "../table.ts"

const names = { codexSdk: "`@openai/codex-sdk`", reins: "Reins, `for await`", reinsRun: "Reins, `run()`" }

export const codex: Row = {
  names: ["codex"],
  measure: async ({ workspace, samples }) => {
    const stub = workspace.stubOf(codexRun(200_000))
    const hosts = ["codexSdk", "reins", "reinsRun"] as const
    const race = raceOf(
      names,
      await inRounds(hosts, samples, (host) => runOnce(workspace, host, stub, { cli: "codex" }))
    )
    const columns = [
      race.column("CPU in ms", cpu),
      race.columnTimes("CPU × SDK", "codexSdk", cpu),
      race.column("wall in ms", wall),
      race.column("peak in MB", peak)
    ]
    return [
      race.table(columns, {
        title: "CPU of 200,000 Codex lines against `@openai/codex-sdk`",
        about: "Its `runStreamed`, read to the end.",
        verdicts: (["reins", "reinsRun"] as const).map((host) =>
          verdict(names[host], race.times(host, "codexSdk", cpu), 1, " × SDK")
        )
      })
    ]
  }
}
