/** Measurements for a meter of `@opentelemetry/api`: its instruments are made where they are first used. */
import { Context } from "effect"
import type { OtelInstrument, OtelMeter } from "../../contract/Telemetry.ts"
import { descriptions, type Meter } from "./metrics.ts"
import { metricNames } from "./names.ts"

/** The meter of an application in place of Effect's metrics. */
export const OtherMeter = Context.Reference<Meter | undefined>("reins/OtherMeter", { defaultValue: () => undefined })

/** Measures nothing. */
export const noMeter: Meter = { record: () => {}, add: () => {}, set: () => {} }

const instrumentOf = (name: keyof typeof metricNames): OtelInstrument => {
  const { description, unit, boundaries } = descriptions[name]
  const advice = boundaries.length === 0 ? {} : { advice: { explicitBucketBoundaries: [...boundaries] } }
  return { description, unit, ...advice }
}

const once = <Instrument>(make: (name: string, instrument: OtelInstrument) => Instrument) => {
  const made = new Map<string, Instrument>()
  return (name: keyof typeof metricNames): Instrument => {
    const instrument = made.get(name) ?? make(metricNames[name], instrumentOf(name))
    made.set(name, instrument)
    return instrument
  }
}

export const otelMeter = (meter: OtelMeter): Meter => {
  const histogram = once((name, instrument) => meter.createHistogram(name, instrument))
  const counter = once((name, instrument) => meter.createCounter(name, instrument))
  const upAndDown = once((name, instrument) => meter.createUpDownCounter(name, instrument))
  const gauge = once((name, instrument) => meter.createGauge(name, instrument))
  return {
    record: (name, value, attributes) => histogram(name).record(value, attributes),
    add: (name, value, attributes) => (name === "runs" ? counter : upAndDown)(name).add(value, attributes),
    set: (name, value, attributes) => gauge(name).record(value, attributes)
  }
}
