/** The cost of more lines, longer lines and more runs at once: does it grow in proportion? */

import { closing, opening } from "../lines/claude.ts"
import { outputLine, toolUseLine } from "../lines/claudeWire.ts"
import { nothing, type Part } from "../lines/part.ts"
import { claudeRun } from "../lines/runs.ts"
import { cpu, peak, type Quantity, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { cpuOf, peakOf, runOnce, type Sample, sampleOf, wallOf } from "../sample.ts"
import { median, spreadOf } from "../statistics.ts"
import { number, spread, type Table, verdict } from "../table.ts"

/** Big samples are steady, and slow. */
const most = 3

interface Step {
  readonly name: string
  /** How much of what costs is in it. */
  readonly units: number
  readonly take: () => Promise<Sample>
}

const measureSteps = async (
  samples: number,
  steps: ReadonlyArray<Step>,
  { title, about, unit }: { readonly title: string; readonly about: string; readonly unit: string }
): Promise<Table> => {
  const measured: Array<Step & { readonly samples: ReadonlyArray<Sample>; readonly each: number }> = []
  for (const step of steps) {
    const taken: Array<Sample> = []
    for (let nth = 0; nth < Math.min(samples, most); nth++) taken.push(await step.take())
    measured.push({ ...step, samples: taken, each: median(cpuOf(taken)) / step.units })
  }
  const growth = measured.map(({ each }, nth) => (nth === 0 ? 1 : each / (measured[nth - 1]?.each ?? Number.NaN)))
  return {
    title,
    about,
    head: ["", "CPU in ms", "wall in ms", "peak in MB", `CPU in ms per ${unit}`, "× the row above"],
    rows: measured.map(({ name, samples, each }, nth) => [
      name,
      spread(spreadOf(cpuOf(samples))),
      spread(spreadOf(wallOf(samples))),
      spread(spreadOf(peakOf(samples))),
      each.toFixed(each < 1 ? 4 : 2),
      nth === 0 ? "" : number(growth[nth] ?? Number.NaN)
    ]),
    verdicts: [verdict(`Most that a row adds to the cost per ${unit}`, Math.max(...growth.slice(1)), 1.2, " ×")]
  }
}

const moreLines = ({ workspace, samples }: Bench) =>
  measureSteps(
    samples,
    [10_000, 100_000, 1_000_000].map((lines) => {
      const stub = workspace.stubOf(claudeRun(lines))
      return { name: lines.toLocaleString("en"), units: lines, take: () => runOnce(workspace, "reins", stub) }
    }),
    { title: "Growth: more lines", about: "One run. Its text, which the result holds, grows with it.", unit: "line" }
  )

const mib = 1024 * 1024
const allMib = 60

/** A tool's output that makes a line as long as asked: it stands in the line twice. */
const longLine = (id: string, bytes: number): Part => {
  const output = "x".repeat((bytes - outputLine(id, "").length) / 2)
  return { ...nothing, lines: [toolUseLine(id), outputLine(id, output)], toolCalls: 1, outputCharacters: output.length }
}

const longerLines = async ({ workspace, samples }: Bench): Promise<Table> => {
  const hosts = ["claudeSdk", "reins"] as const
  const names = { claudeSdk: "`@anthropic-ai/claude-agent-sdk`", reins: "Reins, `for await`" }
  const measured: Array<{ name: string; race: ReturnType<typeof raceOf<"claudeSdk" | "reins", Sample>> }> = []
  for (const size of [1, 10, 60]) {
    const parts = Array.from({ length: allMib / size }, () => longLine("toolu_long", size * mib))
    const stub = workspace.stubOf([opening(), ...parts, closing(20)])
    const taken = await inRounds(hosts, Math.min(samples, most), (host) => runOnce(workspace, host, stub), 0)
    measured.push({ name: `${allMib / size} × ${size} MiB`, race: raceOf(names, taken) })
  }
  const growth = measured
    .slice(1)
    .map(({ race }, nth) => race.median("reins", cpu) / (measured[nth]?.race.median("reins", cpu) ?? Number.NaN))
  const against = (quantity: Quantity<Sample>) =>
    Math.max(...measured.map(({ race }) => race.times("reins", "claudeSdk", quantity)))
  return {
    title: "Growth: longer lines",
    about: `One run with ${allMib} MiB of tool outputs in all.`,
    head: ["", "", "CPU in ms", "× SDK", "wall in ms", "peak in MB", "× SDK", "CPU × the row above"],
    rows: measured.flatMap(({ name, race }, nth) =>
      hosts.map((host) => [
        name,
        names[host],
        race.column("", cpu).cell(host),
        race.columnTimes("", "claudeSdk", cpu).cell(host),
        race.column("", wall).cell(host),
        race.column("", peak).cell(host),
        race.columnTimes("", "claudeSdk", peak).cell(host),
        host === "reins" && nth > 0 ? number(growth[nth - 1] ?? Number.NaN) : ""
      ])
    ),
    verdicts: [
      verdict("Most that longer lines add to the cost per MiB", Math.max(...growth), 1.2, " ×"),
      verdict("CPU, at worst", against(cpu), 1, " × SDK"),
      verdict("Peak memory, at worst", against(peak), 1, " × SDK")
    ]
  }
}

const moreRuns = async ({ workspace, samples }: Bench): Promise<Table> => {
  const { command } = workspace.stubOf(claudeRun(2_000))
  let incomplete = 0
  const take = async (runs: number) => {
    const sample = await sampleOf<{ readonly completed: number }>(workspace, "runs", { command, runs })
    incomplete += runs - sample.completed
    return sample
  }
  const table = await measureSteps(
    samples,
    [1, 10, 100, 500].map((runs) => ({ name: `${runs}`, units: runs, take: () => take(runs) })),
    {
      title: "Growth: more runs at once",
      about: "Of one agent, each with 2,000 lines as fast as they go.",
      unit: "run"
    }
  )
  return {
    ...table,
    verdicts: [...table.verdicts, verdict("Runs that did not come to their result", incomplete, 0, "")]
  }
}

export const growth: Row = {
  names: ["growth"],
  measure: async (bench) => [await moreLines(bench), await longerLines(bench), await moreRuns(bench)]
}
