/**
 * A tracer of `@opentelemetry/api` as a tracer of Effect. The application has that package: known of it are the forms in
 * `contract/Telemetry.ts`, and two symbols (`activeSpan.ts`).
 */
import { Cause, Context, Exit, Layer, Option, Tracer } from "effect"
import type {
  OtelContext,
  OtelInstrument,
  OtelMeter,
  OtelSpan,
  OtelTime,
  OtelTracer,
  OtelValue
} from "../../contract/Telemetry.ts"
import { contextAround, spanKey } from "./activeSpan.ts"
import { isOwnSpan, metricNames } from "./attributes.ts"
import { descriptions, type Meter } from "./metrics.ts"

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

const timeOf = (nanos: bigint): OtelTime => [Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n)]

const isValue = (value: unknown): value is OtelValue => ["string", "number", "boolean"].includes(typeof value)

const valuesOf = (attributes: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, OtelValue] => isValue(entry[1])))

const contextOf = (values: ReadonlyMap<symbol, unknown>): OtelContext => ({
  getValue: (key) => values.get(key),
  setValue: (key, value) => contextOf(new Map([...values, [key, value]])),
  deleteValue: (key) => contextOf(new Map([...values].filter(([name]) => name !== key)))
})
const emptyContext = contextOf(new Map())

/** A span that is only a parent: its tracer needs nothing but its ids. */
const ended = ({ traceId, spanId, sampled }: Tracer.AnySpan) => ({
  spanContext: () => ({ traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote: true }),
  isRecording: () => false
})

const contextUnder = (parent: Tracer.AnySpan): OtelContext => {
  if (parent instanceof BackedSpan) return parent.context.setValue(spanKey, parent.backing)
  return contextAround(parent) ?? emptyContext.setValue(spanKey, ended(parent))
}

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

const statusOf = (exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isSuccess(exit)) return { code: 1 } as const
  if (Cause.hasInterruptsOnly(exit.cause)) return { code: 0 } as const
  const [error] = Cause.prettyErrors(exit.cause)
  return { code: 2, ...(error === undefined ? {} : { message: error.message }) } as const
}

class BackedSpan extends Tracer.NativeSpan {
  readonly backing: OtelSpan
  readonly context: OtelContext
  override readonly sampled: boolean

  constructor(tracer: OtelTracer, options: SpanOptions) {
    super(options)
    const parent = Option.getOrUndefined(options.parent)
    this.context = parent === undefined ? emptyContext : contextUnder(parent)
    const root = parent === undefined ? { root: true } : {}
    this.backing = tracer.startSpan(options.name, { startTime: timeOf(options.startTime), ...root }, this.context)
    // A sampler of the application decides.
    this.sampled = (this.backing.spanContext().traceFlags & 1) === 1
  }

  override get traceId() {
    return this.backing.spanContext().traceId
  }

  override get spanId() {
    return this.backing.spanContext().spanId
  }

  override attribute(name: string, value: unknown) {
    if (isValue(value)) this.backing.setAttribute(name, value)
  }

  override event(name: string, time: bigint, attributes?: Record<string, unknown>) {
    this.backing.addEvent(name, valuesOf(attributes), timeOf(time))
  }

  override end(time: bigint, exit: Exit.Exit<unknown, unknown>) {
    super.end(time, exit)
    this.backing.setStatus(statusOf(exit))
    this.backing.end(timeOf(time))
  }
}

/** Makes spans of agents and tools only, not those of the library's own work, such as statements of SQL. */
export const effectTracer = (tracer: OtelTracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) =>
      isOwnSpan(options.name) ? new BackedSpan(tracer, options) : new Tracer.NativeSpan({ ...options, sampled: false })
  })

/** Tracer and meter of an application; without a meter nothing is measured, since it could not be read. */
export const openTelemetryLayer = (tracer: OtelTracer, meter: OtelMeter | undefined): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(Tracer.Tracer, effectTracer(tracer)),
    Layer.succeed(OtherMeter, meter === undefined ? noMeter : otelMeter(meter))
  )
