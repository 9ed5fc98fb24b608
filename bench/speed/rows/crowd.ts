/** Many runs at once, 20,000 lines a second in all: what they cost, and whether one has to wait. */
import { text } from "node:stream/consumers"
import { startNode } from "../children.ts"
import { cpu, peak, raceOf } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { type Sample, sampleOf } from "../sample.ts"
import { median, percentile } from "../statistics.ts"
import { number, type Table, verdict } from "../table.ts"
import { pathOf } from "../workspace.ts"

interface Pace {
  readonly runs: number
  readonly lines: number
  readonly linesPerSecond: number
}

const names = {
  crowdLoop: "hand-written loop",
  crowdSdk: "`@anthropic-ai/claude-agent-sdk`",
  crowdReins: "Reins, `for await`"
}
type Host = keyof typeof names
const hosts = ["crowdLoop", "crowdSdk", "crowdReins"] as const

interface Told {
  /** Latency of every text of every run. */
  readonly delays: ReadonlyArray<ReadonlyArray<number>>
}

interface Lateness {
  readonly median: number
  readonly p99: number
  /** Latency of the slowest run. */
  readonly worst: number
}

const latenessOf = ({ delays }: Told, lines: number): Lateness => {
  const texts = delays.map(({ length }) => length)
  const fewest = Math.min(...texts)
  if (fewest < lines / 2 || fewest !== Math.max(...texts)) throw new Error(`a run of the crowd read ${fewest} texts`)
  const p99 = (of: ReadonlyArray<number>) => percentile(of, 0.99)
  return { median: median(delays.flat()), p99: p99(delays.flat()), worst: Math.max(...delays.map(p99)) }
}

interface Crowd extends Sample, Lateness {
  /** Time of the writer: longer than the lines need if the machine did not keep up. */
  readonly writtenMs: number
}

const crowd = async ({ workspace }: Bench, { runs, lines, linesPerSecond }: Pace, host: Host): Promise<Crowd> => {
  const pipes = workspace.pipes(runs)
  const task = JSON.stringify({ pipes, lines, linesPerSecond })
  const writer = startNode([pathOf("stub/writer.ts"), task], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const reported = writer.child.stdout === null ? Promise.resolve("{}") : text(writer.child.stdout)
    const sample = await sampleOf<Told>(workspace, host, { command: workspace.pipeReader(), pipes })
    return { ...sample, ...latenessOf(sample, lines), writtenMs: JSON.parse(await reported).tookMs }
  } finally {
    writer.stop()
    await writer.left
  }
}

/** Samples are long and hold very many lines: no round goes uncounted, and three are enough. */
const race = async (bench: Bench, pace: Pace) =>
  raceOf<Host, Crowd>(names, await inRounds(hosts, Math.min(bench.samples, 3), (host) => crowd(bench, pace, host), 0))

type CrowdRace = Awaited<ReturnType<typeof race>>

const about =
  "Each delta of text carries the time at which it was written; the delay is what lies between that and its event. A run is `cat` behind a pipe, one process writes to all of them."

const tableOf = (race: CrowdRace, title: string, verdicts: Table["verdicts"]) =>
  race.table(
    [
      race.column("CPU in ms", cpu),
      race.columnTimes("CPU × loop", "crowdLoop", cpu),
      race.columnTimes("CPU × SDK", "crowdSdk", cpu),
      race.column("delay p50 in ms", (sample) => sample.median),
      race.column("p99", ({ p99 }) => p99),
      race.column("p99 of the worst run", ({ worst }) => worst),
      race.column("peak in MB", peak),
      race.column("written in s", ({ writtenMs }) => writtenMs / 1000)
    ],
    { title, about, verdicts }
  )

const tables: Record<string, (bench: Bench) => Promise<Table>> = {
  crowd: async (bench) => {
    const of = await race(bench, { runs: 100, lines: 2_000, linesPerSecond: 200 })
    return tableOf(of, "100 runs at once, each with 2,000 lines at 200 lines a second", [
      verdict("CPU", of.times("crowdReins", "crowdLoop", cpu), 1.6, " × loop"),
      verdict("CPU", of.times("crowdReins", "crowdSdk", cpu), 1, " × SDK"),
      verdict(
        "p99 of the delay",
        of.median("crowdReins", ({ p99 }) => p99),
        20,
        " ms"
      ),
      verdict("Peak memory", of.median("crowdReins", peak), 160, " MB")
    ])
  },
  paced: async (bench) => {
    const [short, long] = [3_000, 9_000].map((lines) => ({ runs: 100, lines, linesPerSecond: 200 }))
    if (short === undefined || long === undefined) throw new Error("two lengths")
    const few = { ...bench, samples: Math.min(bench.samples, 2) }
    const [of, ofLong] = [await race(few, short), await race(few, long)]
    const lines = short.runs * (long.lines - short.lines)
    const slope = (host: Host) => ((ofLong.median(host, cpu) - of.median(host, cpu)) * 1000) / lines
    return {
      title: "100 paced runs at once, 200 lines a second each: 15 s, and 45 s",
      about: "Processor time of 15 s, and what each further line costs. At most two samples.",
      head: ["", "CPU in ms, 15 s", "CPU in ms, 45 s", "µs a line more"],
      rows: hosts.map((host) => [
        names[host],
        ...[of, ofLong].map((each) => number(each.median(host, cpu))),
        number(slope(host))
      ]),
      verdicts: [
        verdict("CPU of 15 s", of.times("crowdReins", "crowdSdk", cpu), 1.2, " × SDK"),
        verdict("A line more", slope("crowdReins") / slope("crowdSdk"), 1, " × SDK")
      ]
    }
  },
  crowd500: async (bench) => {
    const of = await race(bench, { runs: 500, lines: 400, linesPerSecond: 40 })
    return tableOf(of, "500 runs at once, each with 400 lines at 40 lines a second", [
      verdict("CPU", of.times("crowdReins", "crowdSdk", cpu), 1, " × SDK"),
      verdict(
        "p99 of the delay",
        of.times("crowdReins", "crowdSdk", ({ p99 }) => p99),
        1,
        " × SDK"
      ),
      verdict("Peak memory", of.times("crowdReins", "crowdSdk", peak), 1, " × SDK")
    ])
  }
}

export const crowdRow: Row = {
  names: Object.keys(tables),
  measure: async (bench) => {
    const measured: Array<Table> = []
    for (const [name, measure] of Object.entries(tables)) if (bench.isWanted(name)) measured.push(await measure(bench))
    return measured
  }
}
