/** 200,000 Codex lines: Reins beside the official SDK. */
import { codexRun } from "../lines/runs.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { cpuOf, peakOf, runOnce, wallOf } from "../sample.ts"
import { ratio, spreadOf } from "../statistics.ts"
import { spread, verdict } from "../table.ts"

const names = { codexSdk: "`@openai/codex-sdk`", reins: "Reins, `for await`" }

export const codex: Row = {
  names: ["codex"],
  measure: async ({ workspace, samples }) => {
    const stub = workspace.stubOf(codexRun(200_000))
    const hosts = ["codexSdk", "reins"] as const
    const taken = await inRounds(hosts, samples, (host) => runOnce(workspace, host, stub, "codex"))
    const against = ratio(cpuOf(taken.reins), cpuOf(taken.codexSdk))
    return [
      {
        title: "CPU of 200,000 Codex lines against `@openai/codex-sdk`",
        about: "Its `runStreamed`, read to the end.",
        head: ["", "CPU in ms", "wall in ms", "peak in MB", "CPU × SDK"],
        rows: hosts.map((host) => [
          names[host],
          spread(spreadOf(cpuOf(taken[host]))),
          spread(spreadOf(wallOf(taken[host]))),
          spread(spreadOf(peakOf(taken[host]))),
          host === "codexSdk" ? "" : spread(against)
        ]),
        verdicts: [verdict("`for await`", against.median, 1, " ×", true)]
      }
    ]
  }
}
