/** The tracer and the meter of an application that does not use Effect, as parts of an agent's layer. */
import { Effect, Layer, Predicate } from "effect"
import { activeSpan } from "../../agents/telemetry/activeSpan.ts"
import type { OtelMeter, OtelTracer, PlainTelemetryOptions } from "../../contract/Telemetry.ts"

const has = (input: unknown, method: string) =>
  Predicate.hasProperty(input, method) && Predicate.isFunction(input[method])

const isTracer = (input: unknown): input is OtelTracer => has(input, "startSpan")
const isMeter = (input: unknown): input is OtelMeter => has(input, "createHistogram") && has(input, "createGauge")

/** The problem with them, to follow their name. */
export const telemetryProblem = ({ tracer, meter }: PlainTelemetryOptions): string | undefined => {
  if (tracer !== undefined && !isTracer(tracer)) {
    return 'telemetry.tracer: is not a tracer of @opentelemetry/api, such as `trace.getTracer("my-app")`'
  }
  if (meter === undefined) return undefined
  if (!isMeter(meter)) {
    return 'telemetry.meter: is not a meter of @opentelemetry/api (1.9 or newer), such as `metrics.getMeter("my-app")`'
  }
  return tracer === undefined ? "telemetry.meter: needs telemetry.tracer, too" : undefined
}

/** Without a tracer: nothing. */
export const telemetryLayer = ({ tracer, meter }: PlainTelemetryOptions): Layer.Layer<never> => {
  if (tracer === undefined) return Layer.empty
  const loading = Effect.promise(() => import("../../agents/telemetry/openTelemetry.ts"))
  return Layer.unwrap(Effect.map(loading, ({ openTelemetryLayer }) => openTelemetryLayer(tracer, meter)))
}

/** The active span at a call, for an agent with a tracer. */
export const callersSpan = ({ tracer }: PlainTelemetryOptions) => (tracer === undefined ? undefined : activeSpan)
