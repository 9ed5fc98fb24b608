/**
 * Exports traces of a command if the variables of OpenTelemetry name an endpoint; otherwise loads nothing. The trace
 * continues that of the parent process, if `TRACEPARENT` names one.
 */
import { Effect, Tracer } from "effect"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"

const isEndpoint = (name: string) => /^OTEL_EXPORTER_OTLP_(?:TRACES_|METRICS_|LOGS_)?ENDPOINT$/.test(name)

/** Warns of wrong variables and of a failing collector, once each; the command is not affected. */
export const withTelemetry = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const env = yield* HostEnvironment
    if (!Object.keys(env).some((name) => isEndpoint(name) && env[name])) return yield* command
    const { telemetrySettings } = yield* Effect.promise(() => import("./settings.ts"))
    const { settings, problems } = telemetrySettings(env)
    for (const problem of problems) yield* Effect.logWarning(`telemetry: ${problem}`)
    if (settings === undefined) return yield* command
    const { exporter, spanOf } = yield* Effect.promise(() => import("./exporter.ts"))
    const warn = (problem: string) =>
      Effect.logWarning(`telemetry: spans, metrics or logs are lost; the run is not affected: ${problem}`)
    const parent = spanOf(env)
    const traced = parent === undefined ? command : Effect.provideService(command, Tracer.ParentSpan, parent)
    return yield* Effect.provide(traced, exporter(settings, warn))
  })
