/** The metrics of runs, turns and tool calls. Their attributes have few values: no id, and no name of a tool. */
import { Context } from "effect"
import type { AgentRunResult, AgentUsage } from "../../contract/AgentRunResult.ts"
import { addCounts, addUsage, countsBy } from "../../contract/addUsage.ts"
import {
  type Attributes,
  attributes,
  inputTokensOf,
  type metricNames,
  modelAttributes,
  spanNames
} from "./attributes.ts"
import { quietly } from "./spans.ts"

export interface Spent {
  readonly usage: AgentUsage | undefined
  readonly totalCostUsd?: number | undefined
}

/** A cost that one of them does not know is left out. */
export const sumOf = (a: Spent, b: Spent): Spent => ({
  usage: addUsage(a.usage, b.usage),
  totalCostUsd: addCounts(a.totalCostUsd, b.totalCostUsd)
})

const less = (whole: number | undefined, part: number | undefined) =>
  whole === undefined ? undefined : Math.max(0, whole - (part ?? 0))

export const without = (whole: Spent, part: Spent): Spent => ({
  usage: whole.usage && countsBy((name) => less(whole.usage?.[name], part.usage?.[name])),
  totalCostUsd: less(whole.totalCostUsd, part.totalCostUsd)
})

export interface Meter {
  readonly record: (name: Histogram, value: number, attributes: Attributes) => void
  /** Adds to a counter, or to a number that goes up and down. */
  readonly add: (name: Counter, value: number, attributes: Attributes) => void
  readonly set: (name: Gauge, value: number, attributes: Attributes) => void
}

const histograms = ["agentDuration", "toolDuration", "tokens", "cost", "queueWait"] as const
const counters = ["runs", "active", "sessionsBusy"] as const
const gauges = ["budgetUsed"] as const
type Histogram = (typeof histograms)[number]
type Counter = (typeof counters)[number]
type Gauge = (typeof gauges)[number]

/** A meter of an application that throws costs measurements, never a run. */
export const quietMeter = (meter: Meter): Meter => ({
  record: (...measured) => quietly(() => meter.record(...measured)),
  add: (...measured) => quietly(() => meter.add(...measured)),
  set: (...measured) => quietly(() => meter.set(...measured))
})

export interface Subject {
  readonly cli: string
  readonly kind: "run" | "session" | "turn"
  readonly provider: string | undefined
  readonly model: string | undefined
}

/** More models than any application has: further ones are "other", whatever an agent calls them. */
const mostModels = 100

export const MeasuredModels = Context.Reference<Set<string>>("reins/MeasuredModels", { defaultValue: () => new Set() })

export const makeMetrics = (meter: Meter, models: Set<string>) => {
  const known = (model: string | undefined) => {
    if (model === undefined || models.has(model)) return model
    if (models.size >= mostModels) return "other"
    models.add(model)
    return model
  }

  const attributesOf = ({ cli, kind, provider, model }: Subject): Attributes => ({
    [attributes.operation]: spanNames.agent,
    [attributes.agent]: cli,
    [attributes.kind]: kind,
    ...modelAttributes(provider, known(model))
  })

  const spent = (subject: Subject, { usage = {}, totalCostUsd }: Spent) => {
    const facts = attributesOf(subject)
    const tokens = [["input", inputTokensOf(usage)] as const, ["output", usage.outputTokens] as const]
    for (const [type, count] of tokens) {
      if (count !== undefined && count > 0) meter.record("tokens", count, { ...facts, [attributes.tokenType]: type })
    }
    if (totalCostUsd !== undefined && totalCostUsd > 0) meter.record("cost", totalCostUsd, facts)
  }

  return {
    started: ({ cli, kind }: Subject) => meter.add("active", 1, { [attributes.agent]: cli, [attributes.kind]: kind }),
    left: ({ cli, kind }: Subject) => meter.add("active", -1, { [attributes.agent]: cli, [attributes.kind]: kind }),
    ended: (subject: Subject, { outcome, reason, durationMs }: AgentRunResult) => {
      const facts = { ...attributesOf(subject), [attributes.outcome]: outcome }
      meter.add("runs", 1, { ...facts, [attributes.reason]: reason })
      // How long a session was open says nothing of its agent.
      if (subject.kind !== "session") meter.record("agentDuration", durationMs / 1000, facts)
    },
    spent,
    tool: (cli: string, kind: string, seconds: number, error: string | undefined) =>
      meter.record("toolDuration", seconds, {
        [attributes.operation]: spanNames.tool,
        [attributes.agent]: cli,
        [attributes.toolKind]: kind,
        ...(error === undefined ? {} : { [attributes.error]: error })
      }),
    queued: (cli: string, ms: number) => meter.record("queueWait", ms / 1000, { [attributes.agent]: cli }),
    busy: (cli: string, change: 1 | -1) => meter.add("sessionsBusy", change, { [attributes.agent]: cli }),
    budget: (budget: string, ratio: number) => meter.set("budgetUsed", ratio, { [attributes.budget]: budget })
  }
}

export type Metrics = ReturnType<typeof makeMetrics>

const seconds = [0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84, 655.36, 2621.44, 10485.76]

/** For each metric: description, unit and, for histograms, the bounds that the conventions advise. */
export const descriptions = {
  agentDuration: { description: "Duration of a run or a turn", unit: "s", boundaries: seconds },
  toolDuration: { description: "Duration of a tool call", unit: "s", boundaries: seconds },
  queueWait: { description: "Time that a run or session waited before its start", unit: "s", boundaries: seconds },
  tokens: {
    description: "Tokens of a run or a turn",
    unit: "{token}",
    boundaries: Array.from({ length: 14 }, (_, power) => 4 ** power)
  },
  cost: {
    description: "Cost of a run or a turn, where it is known",
    unit: "USD",
    boundaries: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
  },
  runs: { description: "Runs, live sessions and turns that have ended", unit: "{run}", boundaries: [] },
  active: { description: "Runs and live sessions that are open", unit: "{run}", boundaries: [] },
  sessionsBusy: { description: "Live sessions with a turn", unit: "{session}", boundaries: [] },
  budgetUsed: { description: "Part of a budget that is spent", unit: "1", boundaries: [] }
} as const satisfies Record<keyof typeof metricNames, unknown>
