/** Sends spans, metrics and logs by OTLP over HTTP, as `telemetrySettings` has them. Loaded only if an endpoint is set. */
import { Cause, ConfigProvider, Effect, Layer, Logger, Tracer } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { makeSender } from "./sender.ts"
import type { Target, TelemetrySettings } from "./settings.ts"

const maxLength = 200

/** For a message `the gate "x" failed`: `the gate "…" failed`. */
export const privateMessage = (message: unknown): string => {
  const [first] = Array.isArray(message) ? message : [message]
  if (typeof first !== "string") return ""
  const [sentence = ""] = first.replace(/"[^"]*"|“[^”]*”|`[^`]*`/g, '"…"').split(/:(?:\s|$)/, 1)
  return sentence.replace(/\S*[/\\]\S*/g, "…").slice(0, maxLength)
}

/** Removes paths, quoted texts, words of others (after a colon; before it is a sentence of the library) and causes from logs. */
export const privateLogger = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((options) => logger.log({ ...options, message: privateMessage(options.message), cause: Cause.empty }))

export { spanOf } from "../../agents/telemetry/activeSpan.ts"

/** Limit for the flush at the end of the program. */
const shutdownTimeoutMs = 2_000
const maxBatchSize = 512
const serializations = { json: OtlpSerialization.layerJson, protobuf: OtlpSerialization.layerProtobuf }
/** Exports agents and their tools, not the program's own work, such as SQL statements. */
const isExported = (name: string) => /^(?:invoke_agent|execute_tool|Agents\.)/.test(name)

const withoutOthers = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) =>
      isExported(options.name) ? tracer.span(options) : new Tracer.NativeSpan({ ...options, sampled: false })
  })

/** `warn` is called once, for the first lost batch. */
export const exporter = (
  settings: TelemetrySettings,
  warn: (problem: string) => Effect.Effect<void>
): Layer.Layer<never> => {
  const { targets, serviceName, attributes, temporality } = settings
  let isTold = false
  const onLost = (problem: string) =>
    Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return warn(problem)
    })
  const optionsOf = ({ url, headers, compression, intervalMs }: Target) => ({
    url,
    headers,
    compression,
    resource: { serviceName, attributes },
    exportInterval: intervalMs,
    shutdownTimeout: shutdownTimeoutMs,
    maxBatchSize
  })
  const all = Effect.map(makeSender(onLost), (sender) => {
    const to = <A, R>(target: Target | undefined, make: (target: Target) => Layer.Layer<A, never, R>) =>
      target === undefined
        ? Layer.empty
        : make(target).pipe(
            Layer.provide([
              OtlpExporter.layerFlusher,
              serializations[target.format],
              Layer.succeed(HttpClient.HttpClient, sender(target.timeoutMs)),
              // The variables were read and checked before.
              ConfigProvider.layer(ConfigProvider.fromUnknown({}))
            ])
          )
    return Layer.mergeAll(
      to(targets.traces, (target) =>
        Layer.effect(Tracer.Tracer, Effect.map(OtlpTracer.make(optionsOf(target)), withoutOthers))
      ),
      to(targets.metrics, (target) => Layer.effectDiscard(OtlpMetrics.make({ ...optionsOf(target), temporality }))),
      to(targets.logs, (target) =>
        Logger.layer([Effect.map(OtlpLogger.make(optionsOf(target)), privateLogger)], { mergeWithExisting: true })
      )
    )
  })
  return Layer.unwrap(all)
}
