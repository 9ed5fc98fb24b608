/** Options of telemetry, and the used parts of the API of OpenTelemetry, whose package is not imported. */
import { Schema } from "effect"
import { schemaOf } from "./schemaOf.ts"

/** The options for telemetry. Without a tracer they have no effect. */
export interface TelemetryOptions {
  /**
   * Spans have prompts, answers, arguments and outputs of tools, and the working directory: each of at most 8,192
   * characters, without the secrets that the run knows. Default: false.
   */
  readonly content?: boolean | undefined
  /**
   * The CLI exports spans of its own to the host's `OTEL_EXPORTER_OTLP_ENDPOINT`, without its headers unless
   * `env.allow` names `OTEL_EXPORTER_OTLP_HEADERS`. Default: false, and `OTEL_*` is removed unless `env.allow` names
   * it.
   */
  readonly cli?: boolean | undefined
}

export const TelemetryOptions = schemaOf<TelemetryOptions>()(
  Schema.Struct({ content: Schema.optional(Schema.Boolean), cli: Schema.optional(Schema.Boolean) })
)

/** A value of an attribute. */
export type OtelValue = string | number | boolean

/** Seconds and nanoseconds since 1970. */
export type OtelTime = [number, number]

/** The identity of a span, in the words of `@opentelemetry/api`. */
export interface OtelSpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** 1 if it is sampled. */
  readonly traceFlags: number
  /** Additions of vendors. */
  readonly traceState?: { readonly serialize: () => string } | undefined
}

/** The part of a `Span` of `@opentelemetry/api` that is used. */
export interface OtelSpan {
  /** Its ids. */
  readonly spanContext: () => OtelSpanContext
  /** Sets or replaces an attribute. */
  readonly setAttribute: (name: string, value: OtelValue) => unknown
  /** Adds an event of this time. */
  readonly addEvent: (name: string, attributes: { [name: string]: OtelValue }, time: OtelTime) => unknown
  /** 0 unset, 1 ok, 2 error. */
  readonly setStatus: (status: { code: 0 | 1 | 2; message?: string }) => unknown
  /** Ends the span at this time; the last call. */
  readonly end: (time: OtelTime) => void
}

/** The part of a `Context` of `@opentelemetry/api` that is used. */
export interface OtelContext {
  /** Undefined if it has none. */
  readonly getValue: (key: symbol) => unknown
  /** A new context with this value. */
  readonly setValue: (key: symbol, value: unknown) => OtelContext
  /** A new context without it. */
  readonly deleteValue: (key: symbol) => OtelContext
}

/** The part of a `Tracer` of `@opentelemetry/api` that is used: `trace.getTracer("my-app")` is one. */
export interface OtelTracer {
  /** Starts a span below that of the context; `root`: below none. */
  readonly startSpan: (
    name: string,
    options: { root?: boolean; startTime?: OtelTime },
    context: OtelContext
  ) => OtelSpan
}

/** The part of an instrument of `@opentelemetry/api` that is used. */
export interface OtelHistogram {
  /** Adds a value; for a gauge, the current one. */
  readonly record: (value: number, attributes: { [name: string]: OtelValue }) => void
}

/** The part of an instrument of `@opentelemetry/api` that is used. */
export interface OtelCounter {
  /** Adds a number, which is negative only for an up-down counter. */
  readonly add: (value: number, attributes: { [name: string]: OtelValue }) => void
}

/** The description of an instrument. */
export interface OtelInstrument {
  /** The measured quantity. */
  readonly description: string
  /** A unit of UCUM, such as `s`. */
  readonly unit: string
  /** For a histogram. */
  readonly advice?: { explicitBucketBoundaries: number[] }
}

/** The part of a `Meter` of `@opentelemetry/api` (1.9 or newer) that is used: `metrics.getMeter("my-app")` is one. */
export interface OtelMeter {
  /** For durations, tokens and costs. */
  readonly createHistogram: (name: string, instrument: OtelInstrument) => OtelHistogram
  /** For runs that have ended. */
  readonly createCounter: (name: string, instrument: OtelInstrument) => OtelCounter
  /** For open runs. */
  readonly createUpDownCounter: (name: string, instrument: OtelInstrument) => OtelCounter
  /** For the used share of budgets. */
  readonly createGauge: (name: string, instrument: OtelInstrument) => OtelHistogram
}

/** The options for telemetry of the plain door, which has no tracer of its own. */
export interface PlainTelemetryOptions extends TelemetryOptions {
  /** Gets a span for each run, live session, turn and tool call, below the span that is active at the call. Default: none. */
  readonly tracer?: OtelTracer | undefined
  /** Gets durations, tokens and costs; only with a tracer. Default: none. */
  readonly meter?: OtelMeter | undefined
}
