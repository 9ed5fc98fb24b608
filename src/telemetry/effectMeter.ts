/** Measurements as Effect's `Metric`s: whoever exports the registry of a context exports them. */
import { type Context, Metric } from "effect"
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

export const makeEffectMeter = (context: Context.Context<never>): Meter => {
  const texts = (attributes: Readonly<Record<string, string | number | boolean>>) =>
    Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]))
  return {
    record: (name, value, attributes) =>
      Metric.withAttributes(metrics[name], texts(attributes)).updateUnsafe(value, context),
    add: (name, value, attributes) => {
      const labels = texts(attributes)
      // The type of a counter's state is not that of a gauge.
      if (name === "runs") Metric.withAttributes(metrics.runs, labels).modifyUnsafe(value, context)
      else Metric.withAttributes(metrics[name], labels).modifyUnsafe(value, context)
    },
    set: (name, value, attributes) =>
      Metric.withAttributes(metrics[name], texts(attributes)).updateUnsafe(value, context)
  }
}
