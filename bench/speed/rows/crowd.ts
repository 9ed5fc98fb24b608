/** 100 runs at once, each with 2,000 lines at 200 lines a second: what they cost, and whether one has to wait. */
import { text } from "node:stream/consumers"
import { startNode } from "../children.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { cpuOf, peakOf, type Sample, sampleOf } from "../sample.ts"
import { median, percentile, ratio, spreadOf } from "../statistics.ts"
import { spread, verdict } from "../table.ts"
import { pathOf } from "../workspace.ts"

const runs = 100
const lines = 2_000
const linesPerSecond = 200

const names = { crowdLoop: "hand-written loop", crowdReins: "Reins, `for await`" }
type Host = keyof typeof names

interface Told {
  /** Of every text of every run. */
  readonly delays: ReadonlyArray<ReadonlyArray<number>>
}

interface Lateness {
  readonly median: number
  readonly p99: number
  /** Of the run that had to wait most. */
  readonly worst: number
}

const latenessOf = ({ delays }: Told): Lateness => {
  const texts = delays.map(({ length }) => length)
  if (Math.min(...texts) < lines / 2) throw new Error(`a run of the crowd has read only ${Math.min(...texts)} texts`)
  const p99 = (of: ReadonlyArray<number>) => percentile(of, 0.99)
  return { median: median(delays.flat()), p99: p99(delays.flat()), worst: Math.max(...delays.map(p99)) }
}

interface Crowd extends Sample, Lateness {
  /** Of the writer: longer than the lines need where the machine did not keep up. */
  readonly writtenMs: number
}

const crowd = async ({ workspace }: Bench, host: Host): Promise<Crowd> => {
  const pipes = workspace.pipes(runs)
  const task = JSON.stringify({ pipes, lines, linesPerSecond })
  const writer = startNode([pathOf("stub/writer.ts"), task], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const told = writer.child.stdout === null ? Promise.resolve("{}") : text(writer.child.stdout)
    const sample = await sampleOf<Told>(workspace, host, { command: workspace.pipeReader(), pipes })
    return { ...sample, ...latenessOf(sample), writtenMs: JSON.parse(await told).tookMs }
  } finally {
    writer.stop()
    await writer.left
  }
}

export const crowdRow: Row = {
  names: ["crowd"],
  measure: async (bench) => {
    const hosts = ["crowdLoop", "crowdReins"] as const
    const taken = await inRounds(hosts, bench.samples, (host) => crowd(bench, host))
    const against = ratio(cpuOf(taken.crowdReins), cpuOf(taken.crowdLoop))
    const p99 = spreadOf(taken.crowdReins.map((each) => each.p99))
    return [
      {
        title: "100 runs at once, each with 2,000 lines at 200 lines a second",
        about:
          "Each delta of text carries the time at which it was written; the delay is what lies between that and its event. A run is `cat` behind a pipe, one process writes to all of them.",
        head: [
          "",
          "CPU in ms",
          "CPU × loop",
          "delay p50 in ms",
          "p99",
          "p99 of the worst run",
          "peak in MB",
          "written in s"
        ],
        rows: hosts.map((host) => {
          const of = (what: "median" | "p99" | "worst") => spread(spreadOf(taken[host].map((each) => each[what])))
          const writtenS = spreadOf(taken[host].map(({ writtenMs }) => writtenMs / 1000))
          const cpu = spread(spreadOf(cpuOf(taken[host])))
          const times = host === "crowdLoop" ? "" : spread(against)
          const peak = spread(spreadOf(peakOf(taken[host])))
          return [names[host], cpu, times, of("median"), of("p99"), of("worst"), peak, spread(writtenS)]
        }),
        verdicts: [verdict("CPU", against.median, 2, " ×"), verdict("p99 of the delay", p99.median, 50, " ms")]
      }
    ]
  }
}
