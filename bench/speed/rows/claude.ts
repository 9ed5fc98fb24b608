/**
 * 200,000 Claude lines, decoded, validated, folded: Reins beside the hand-written loop and the official SDK. One race for
 * three questions.
 */
import { claudeRun } from "../lines/runs.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { cpuOf, peakOf, runOnce, type Sample, wallOf } from "../sample.ts"
import { difference, ratio, spreadOf } from "../statistics.ts"
import { spread, type Table, verdict } from "../table.ts"

const names = {
  loop: "hand-written loop",
  reins: "Reins, `for await`",
  reinsEffect: "Reins, Effect `Stream`",
  claudeSdk: "`@anthropic-ai/claude-agent-sdk`"
}
type Host = keyof typeof names
type Samples = Partial<Record<Host, ReadonlyArray<Sample>>>

const lines = 200_000

/** The candidates for each question. */
const takingPart: Record<string, ReadonlyArray<Host>> = {
  cpu: ["loop", "reins", "reinsEffect"],
  sdk: ["reins", "claudeSdk"],
  memory: ["loop", "reins", "reinsEffect", "claudeSdk"]
}

const rowsOf = (table: string, samples: Samples, cellsOf: (of: ReadonlyArray<Sample>, host: Host) => Array<string>) =>
  (takingPart[table] ?? []).map((host) => [names[host], ...cellsOf(samples[host] ?? [], host)])

const cpuAgainst = (rival: Host, samples: Samples) => (of: ReadonlyArray<Sample>, host: Host) => [
  spread(spreadOf(cpuOf(of))),
  spread(spreadOf(wallOf(of))),
  host === rival ? "" : spread(ratio(cpuOf(of), cpuOf(samples[rival])))
]

const tables: Record<string, (samples: Samples) => Table> = {
  cpu: (samples) => ({
    title: "CPU of 200,000 Claude lines against the hand-written loop",
    about: "User and system time of the host, from the end of its imports to the end of the run.",
    head: ["", "CPU in ms", "wall in ms", "CPU × loop"],
    rows: rowsOf("cpu", samples, cpuAgainst("loop", samples)),
    verdicts: [verdict("`for await`", ratio(cpuOf(samples.reins), cpuOf(samples.loop)).median, 1.5, " ×")]
  }),
  sdk: (samples) => ({
    title: "The same against `@anthropic-ai/claude-agent-sdk`",
    about: "Its `query` with partial messages, read to the end.",
    head: ["", "CPU in ms", "wall in ms", "CPU × SDK"],
    rows: rowsOf("sdk", samples, cpuAgainst("claudeSdk", samples)),
    verdicts: [verdict("`for await`", ratio(cpuOf(samples.reins), cpuOf(samples.claudeSdk)).median, 1, " ×", true)]
  }),
  memory: (samples) => ({
    title: "Peak of resident memory in that run",
    about: "Of the host, imports included.",
    head: ["", "peak in MB", "MB more than the loop"],
    rows: rowsOf("memory", samples, (of, host) => [
      spread(spreadOf(peakOf(of))),
      host === "loop" ? "" : spread(difference(peakOf(of), peakOf(samples.loop)))
    ]),
    verdicts: [verdict("`for await`", difference(peakOf(samples.reins), peakOf(samples.loop)).median, 40, " MB")]
  })
}

export const claude: Row = {
  names: Object.keys(tables),
  measure: async ({ workspace, samples, isWanted }) => {
    const wanted = Object.keys(tables).filter(isWanted)
    const hosts = [...new Set(wanted.flatMap((table) => takingPart[table] ?? []))]
    const stub = workspace.stubOf(claudeRun(lines))
    const taken: Samples = await inRounds(hosts, samples, (host) => runOnce(workspace, host, stub))
    return wanted.flatMap((table) => tables[table]?.(taken) ?? [])
  }
}
