/** Measurements as Effect's `Metric`s: whoever exports the registry of a context exports them. */
import { type Context, Metric } from "effect"
import type { Attributes } from "./attributes.ts"
import { descriptions, type Meter } from "./metrics.ts"
import { metricNames } from "./names.ts"

const histogram = (name: "agentDuration" | "toolDuration" | "tokens" | "cost" | "queueWait") => {
  const { description, unit, boundaries } = descriptions[name]
  return Metric.histogram(metricNames[name], { description, attributes: { unit }, boundaries: [...boundaries] })
}

const gauge = (name: "active" | "sessionsBusy" | "budgetUsed") => {
  const { description, unit } = descriptions[name]
  return Metric.gauge(metricNames[name], { description, attributes: { unit } })
}

const metrics = {
  agentDuration: histogram("agentDuration"),
  toolDuration: histogram("toolDuration"),
  tokens: histogram("tokens"),
  cost: histogram("cost"),
  queueWait: histogram("queueWait"),
  runs: Metric.counter(metricNames.runs, {
    description: descriptions.runs.description,
    attributes: { unit: descriptions.runs.unit },
    incremental: true
  }),
  active: gauge("active"),
  sessionsBusy: gauge("sessionsBusy"),
  budgetUsed: gauge("budgetUsed")
}

const series = new Map<string, Metric.Metric<number, unknown>>()

/** Each is made once: the key of a registry is longer than this one. Models are bounded by `makeMetrics`, the rest are words. */
const seriesOf = (name: keyof typeof metrics, attributes: Attributes): Metric.Metric<number, unknown> => {
  const key = `${name} ${JSON.stringify(attributes)}`
  const known = series.get(key)
  if (known !== undefined) return known
  const texts = Object.entries(attributes).map(([attribute, value]): [string, string] => [attribute, String(value)])
  const metric: Metric.Metric<number, unknown> = metrics[name]
  const made = Metric.withAttributes(metric, Object.fromEntries(texts))
  series.set(key, made)
  return made
}

export const makeEffectMeter = (context: Context.Context<never>): Meter => ({
  record: (name, value, attributes) => seriesOf(name, attributes).updateUnsafe(value, context),
  add: (name, value, attributes) => seriesOf(name, attributes).modifyUnsafe(value, context),
  set: (name, value, attributes) => seriesOf(name, attributes).updateUnsafe(value, context)
})
