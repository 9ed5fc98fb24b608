/** What is traced of runs and live sessions, and what their CLIs export by themselves. */

/** The options for telemetry. Without a tracer nothing is made, whatever they are. */
export interface TelemetryOptions {
  /**
   * Spans have prompts, answers, arguments and outputs of tools, and the working directory: each of at most 8,192
   * characters, without the secrets that the run knows. Default: false, they have none of these.
   */
  readonly content?: boolean | undefined
  /**
   * The CLI exports spans of its own to the endpoint of the host's `OTEL_EXPORTER_OTLP_ENDPOINT`, without the host's
   * headers unless `env.allow` names `OTEL_EXPORTER_OTLP_HEADERS`. Default: false, and `OTEL_*` of the host are removed
   * from its environment unless `env.allow` names them.
   */
  readonly cli?: boolean | undefined
}

/** A value of an attribute. */
export type OtelValue = string | number | boolean

/** Seconds and nanoseconds since 1970. */
export type OtelTime = [number, number]

/** Which span it is, in the words of `@opentelemetry/api`. */
export interface OtelSpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** 1 if it is sampled. */
  readonly traceFlags: number
  /** What vendors have added. */
  readonly traceState?: { readonly serialize: () => string } | undefined
}

/** The part of a `Span` of `@opentelemetry/api` that is used. */
export interface OtelSpan {
  /** Its ids. */
  readonly spanContext: () => OtelSpanContext
  /** Sets or replaces one. */
  readonly setAttribute: (name: string, value: OtelValue) => unknown
  /** What happened in it. */
  readonly addEvent: (name: string, attributes: { [name: string]: OtelValue }, time: OtelTime) => unknown
  /** 0: not said; 1: it went well; 2: it failed. */
  readonly setStatus: (status: { code: 0 | 1 | 2; message?: string }) => unknown
  /** At this time; the last call. */
  readonly end: (time: OtelTime) => void
}

/** The part of a `Context` of `@opentelemetry/api` that is used. */
export interface OtelContext {
  /** Undefined where it has none. */
  readonly getValue: (key: symbol) => unknown
  /** Another context, with this value. */
  readonly setValue: (key: symbol, value: unknown) => OtelContext
  /** Another context, without it. */
  readonly deleteValue: (key: symbol) => OtelContext
}

/** The part of a `Tracer` of `@opentelemetry/api` that is used: `trace.getTracer("my-app")` is one. */
export interface OtelTracer {
  /** Below the span of the context; `root`: below none. */
  readonly startSpan: (
    name: string,
    options: { root?: boolean; startTime?: OtelTime },
    context: OtelContext
  ) => OtelSpan
}

/** The part of an instrument of `@opentelemetry/api` that is used. */
export interface OtelHistogram {
  /** One more value; of a gauge, its present one. */
  readonly record: (value: number, attributes: { [name: string]: OtelValue }) => void
}

/** The part of an instrument of `@opentelemetry/api` that is used. */
export interface OtelCounter {
  /** A negative number only to one that goes up and down. */
  readonly add: (value: number, attributes: { [name: string]: OtelValue }) => void
}

/** What an instrument measures. */
export interface OtelInstrument {
  /** What it measures. */
  readonly description: string
  /** A unit of UCUM, such as `s`. */
  readonly unit: string
  /** Of a histogram. */
  readonly advice?: { explicitBucketBoundaries: number[] }
}

/** The part of a `Meter` of `@opentelemetry/api` (1.9 or newer) that is used: `metrics.getMeter("my-app")` is one. */
export interface OtelMeter {
  /** Of durations, tokens and costs. */
  readonly createHistogram: (name: string, instrument: OtelInstrument) => OtelHistogram
  /** Of runs that have ended. */
  readonly createCounter: (name: string, instrument: OtelInstrument) => OtelCounter
  /** Of runs that are open. */
  readonly createUpDownCounter: (name: string, instrument: OtelInstrument) => OtelCounter
  /** Of budgets: how much is used. */
  readonly createGauge: (name: string, instrument: OtelInstrument) => OtelHistogram
}

/** The options for telemetry of the plain door, which has no tracer of its own. */
export interface PlainTelemetryOptions extends TelemetryOptions {
  /** Gets a span for each run, live session, turn and tool call, below the span that is active at the call. Default: none. */
  readonly tracer?: OtelTracer | undefined
  /** Gets durations, tokens and costs; only with a tracer. Default: none. */
  readonly meter?: OtelMeter | undefined
}
