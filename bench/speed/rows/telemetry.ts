/**
 * The cost of spans: runs of 300 tool calls without a tracer, and with Effect's exporter to a collector. Beside another
 * checkout that is built (`REINS_BENCH_BEFORE`, its `dist`), what the library itself costs more or less than that.
 */
import { once } from "node:events"
import { startNode } from "../children.ts"
import { claudeRun } from "../lines/runs.ts"
import { cpu, peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { type Sample, sampleOf } from "../sample.ts"
import { type Table, verdict } from "../table.ts"
import { pathOf } from "../workspace.ts"

const all = { untraced: "without a tracer", otlp: "with a tracer that exports by OTLP", before: "the other checkout" }
type Host = keyof typeof all
const { before: _before, ...present } = all

const before = process.env["REINS_BENCH_BEFORE"]
const names: Partial<Record<Host, string>> = before === undefined ? present : all
const hosts = (Object.keys(all) as ReadonlyArray<Host>).filter((host) => host in names) // its own keys

/** A hundred lines have one tool call. */
const [runs, lines] = [5, 30_000]

const startCollector = async () => {
  const { child, stop, left } = startNode([pathOf("stub/collector.ts")], { stdio: ["ignore", "pipe", "inherit"] })
  if (child.stdout === null) throw new Error("the collector has no stdout")
  const [address] = await once(child.stdout, "data")
  const end = () => {
    stop()
    return left
  }
  return { address: String(address).trim(), end }
}

export const telemetry: Row = {
  names: ["telemetry"],
  measure: async ({ workspace, samples }): Promise<ReadonlyArray<Table>> => {
    const { command, claim } = workspace.stubOf(claudeRun(lines))
    const { address, end } = await startCollector()
    const more: Record<Host, object> = { untraced: {}, otlp: { collector: address }, before: { dist: before } }
    const take = async (host: Host) => {
      const task = { command, runs, ...more[host] }
      const sample = await sampleOf<{ completed: number; toolCalls: number }>(workspace, "telemetry", task)
      if (sample.completed !== runs || sample.toolCalls !== runs * claim.toolCalls) throw new Error(`${host} lost some`)
      return sample
    }
    const race = raceOf<Host, Sample>(names, await inRounds(hosts, samples, take))
    await end()
    const columns = [race.column("CPU in ms", cpu), race.column("wall in ms", wall), race.column("peak in MB", peak)]
    const verdicts = [verdict("CPU with OTLP", race.times("otlp", "untraced", cpu), 1.1, " × without a tracer")]
    if (before !== undefined) {
      verdicts.push(
        verdict("CPU without a tracer", race.times("untraced", "before", cpu), 1.02, " × the other checkout")
      )
    }
    return [
      race.table([...columns, race.columnTimes("CPU × without a tracer", "untraced", cpu)], {
        title: `Spans: ${runs} runs of ${claim.toolCalls} tool calls each`,
        about: `${lines.toLocaleString("en")} Claude lines a run, one after the other, through the Effect door. The collector is a process of its own.`,
        verdicts
      })
    ]
  }
}
