/** Short runs: what the first of a process costs, and each of a hundred that begin at once. */
import { claudeRun } from "../lines/runs.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { type Sample, sampleOf } from "../sample.ts"
import { type Table, verdict } from "../table.ts"

const names = {
  runsLoop: "hand-written loop",
  runsSdk: "`@anthropic-ai/claude-agent-sdk`",
  runs: "Reins, `for await`"
}
type Host = keyof typeof names
const hosts = ["runsLoop", "runsSdk", "runs"] as const

const lines = 30

const race = async ({ workspace, samples }: Bench, runs: number) => {
  const { command } = workspace.stubOf(claudeRun(lines))
  const take = async (host: Host) => {
    const sample = await sampleOf<{ readonly completed: number }>(workspace, host, { command, runs })
    if (sample.completed !== runs) throw new Error(`${host}: only ${sample.completed} runs came to their result`)
    return sample
  }
  return raceOf<Host, Sample>(names, await inRounds(hosts, samples, take))
}

const columnsOf = (of: Awaited<ReturnType<typeof race>>, each: (sample: Sample) => number) => [
  of.column("CPU in ms a run", each),
  of.columnTimes("× loop", "runsLoop", each),
  of.columnTimes("× SDK", "runsSdk", each),
  of.column("wall in ms", wall),
  of.column("peak in MB", peak)
]

const tables: ReadonlyArray<(bench: Bench) => Promise<Table>> = [
  async (bench) => {
    const of = await race(bench, 1)
    return of.table(columnsOf(of, cpu), {
      title: "The first run of a process",
      about: `${lines} lines: what is loaded, compiled and started with the first run, and with no other.`,
      verdicts: [verdict("CPU", of.times("runs", "runsSdk", cpu), 1.2, " × SDK")]
    })
  },
  async (bench) => {
    const runs = 100
    const of = await race(bench, runs)
    const each = ({ cpuMs }: Sample) => cpuMs / runs
    return of.table(columnsOf(of, each), {
      title: `${runs} short runs at once`,
      about: `${lines} lines each, in a process that has run nothing before.`,
      verdicts: [verdict("CPU", of.times("runs", "runsSdk", each), 1, " × SDK")]
    })
  }
]

export const short: Row = {
  names: ["short"],
  measure: async (bench) => {
    const measured: Array<Table> = []
    for (const measure of tables) measured.push(await measure(bench))
    return measured
  }
}
