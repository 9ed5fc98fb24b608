/** The report of a chaos run; pure. */
import { type Finding, type Kind, kinds } from "./checks.ts"
import type { LivePlan } from "./live/plan.ts"
import type { RunPlan, Scenario } from "./scenario.ts"
import type { StepReport } from "./step.ts"

/** Something found in one step, or in several where it cannot be told in which. */
export interface Found extends Finding {
  readonly steps: string
  readonly scenario?: Scenario | LivePlan
}

export interface Sums {
  readonly steps: number
  readonly runs: number
  readonly clis: Readonly<Record<string, number>>
  readonly doors: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  /** Other behaviour of the programs and consumers. */
  readonly mischief: Readonly<Record<string, number>>
  readonly hosts: Readonly<Record<string, number>>
  /** Sessions, turns and approvals. */
  readonly live: Readonly<Record<string, number>>
  /** Disturbances of the time of hosts. */
  readonly disturbances: Readonly<Record<string, number>>
}

export const nothing: Sums = {
  steps: 0,
  runs: 0,
  clis: {},
  doors: {},
  faults: {},
  mischief: {},
  hosts: {},
  live: {},
  disturbances: {}
}

const plus = (counts: Readonly<Record<string, number>>, name: string, more = 1) => ({
  ...counts,
  [name]: (counts[name] ?? 0) + more
})

const spillKilobytes = 8_500

const mischiefOf = ({ program, consumer }: RunPlan): ReadonlyArray<string> => {
  const { tools, signals, flood, half, forgets, odd, end } = program
  const isSpilled = flood?.pipe === "stdout" && flood.kilobytes > spillKilobytes && consumer?.pause != null
  return Object.entries({
    tools: tools.length > 0,
    "deaf or slow": signals.are !== "obeyed",
    "never ends": end.is === "stays" || end.is === "stops",
    "odd lines": odd.length > 0,
    "half line": half,
    "forgets its end": forgets,
    flood: flood !== null,
    spill: isSpilled,
    "consumer pauses": consumer?.pause != null
  }).flatMap(([name, holds]) => (holds ? [name] : []))
}

/** A live session counts where a run does not: what it came to is counted by itself. */
export const add = (sums: Sums, scenario: Scenario | LivePlan, report: StepReport): Sums => {
  const { fired, killedBy, live, disturbed = [] } = report
  const runs = "runs" in scenario ? scenario.runs : []
  return {
    steps: sums.steps + 1,
    runs: sums.runs + runs.length,
    clis: runs.length === 0 ? sums.clis : plus(sums.clis, scenario.cli, runs.length),
    doors: plus(sums.doors, scenario.door, Math.max(1, runs.length)),
    faults: fired.reduce((faults, name) => plus(faults, name), sums.faults),
    mischief: runs.flatMap(mischiefOf).reduce((counts, name) => plus(counts, name), sums.mischief),
    hosts: killedBy === undefined ? sums.hosts : plus(sums.hosts, killedBy),
    live: Object.entries(live ?? {}).reduce((counts, [name, count]) => plus(counts, name, count), sums.live),
    disturbances: disturbed.reduce((counts, name) => plus(counts, name), sums.disturbances)
  }
}

const total = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, count) => sum + count, 0)

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .sort(([a, one], [b, other]) => other - one || a.localeCompare(b))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")

const counted = (counts: Readonly<Record<string, number>>) => {
  const sum = total(counts)
  return sum === 0 ? "0" : `${sum} (${listed(counts)})`
}

const howMany = (found: ReadonlyArray<Found>, kind: Kind) => found.filter((one) => one.kind === kind).length

export interface Facts {
  readonly seconds: number
  readonly seed: number
  readonly sums: Sums
  readonly found: ReadonlyArray<Found>
}

const width = 24

const rowsOf = ({ seconds, seed, sums, found }: Facts): ReadonlyArray<readonly [string, string]> => [
  ["seed", String(seed)],
  ["seconds", seconds.toFixed(0)],
  ["steps", String(sums.steps)],
  ["runs", counted(sums.clis)],
  ["by door", listed(sums.doors)],
  ["faults", counted(sums.faults)],
  ["besides", listed(sums.mischief)],
  ["hosts killed", counted(sums.hosts)],
  ["live", listed(sums.live)],
  ["time of hosts", counted(sums.disturbances)],
  ...kinds.map((kind) => [kind, String(howMany(found, kind))] as const)
]

const reported = (seed: number, { kind, steps, detail, scenario }: Found) =>
  [
    `${kind} in step ${steps}: ${detail}`,
    ...(scenario === undefined ? [] : [`  ${JSON.stringify(scenario)}`]),
    `  npm run chaos -- --seed ${seed} --only ${steps}`
  ].join("\n")

export const draw = (facts: Facts): string =>
  [
    ...facts.found.map((found) => `${reported(facts.seed, found)}\n`),
    ...rowsOf(facts).map(([name, value]) => `${name.padEnd(width)}${value}`)
  ].join("\n")
