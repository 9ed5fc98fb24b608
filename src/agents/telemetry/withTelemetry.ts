/** A run or live session with its span: its observer, its trace context for the process, and its end in any case. */
import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"
import type { End } from "../../contract/Start.ts"
import type { Gate } from "../engine/Gate.ts"
import { OwnGates, OwnObservers, TraceVariables } from "../engine/ownSeams.ts"
import { makeEffectMeter } from "./effectMeter.ts"
import { MeasuredModels, makeMetrics, quietMeter } from "./metrics.ts"
import { spanNames } from "./names.ts"
import { type AgentTelemetry, makeTelemetry, type TelemetryOf } from "./observation.ts"
import { OtherMeter } from "./openTelemetryMeter.ts"
import { variablesOf } from "./traceContext.ts"

export interface TracedLife extends Pick<TelemetryOf, "cli" | "options" | "type" | "tracer"> {
  readonly ended: () => End | undefined
  readonly caller: Context.Context<never>
}

/** Below the span of the caller, if it has one: not below one in which the agent's layer was made. */
const openSpan = ({ cli, caller, tracer }: Pick<TracedLife, "cli" | "caller" | "tracer">) => {
  // Its attributes are set later: a tracer that throws is no reason for a run to fail.
  const parent = Option.getOrUndefined(Context.getOption(caller, Tracer.ParentSpan))
  const name = `${spanNames.agent} ${cli.id}`
  const opened =
    parent === undefined
      ? Effect.makeSpan(name, { root: true })
      : Effect.provideService(Effect.makeSpan(name), Tracer.ParentSpan, parent)
  return Effect.withTracer(opened, tracer)
}

/** The last that is asked: it knows how long the others took. */
const gateOf = ({ starting }: AgentTelemetry): Gate => ({
  name: "telemetry",
  concerns: ["run", "session"],
  admit: ({ waitedMs }) => Effect.succeed({ starting: Effect.sync(() => starting(waitedMs())) })
})

/** Opens the span; it ends with `end`, which must be called. Undefined where the tracer makes none. */
export const openTelemetry = Effect.fnUntraced(function* (given: Omit<TracedLife, "ended">) {
  const opened = yield* Effect.exit(openSpan(given))
  if (Exit.isFailure(opened)) {
    yield* Effect.logWarning("the tracer failed, and there are no spans", opened.cause)
    return undefined
  }
  const span = opened.value
  const clock = yield* Clock.Clock
  const meter = (yield* OtherMeter) ?? makeEffectMeter(yield* Effect.context<never>())
  const metrics = makeMetrics(quietMeter(meter), yield* MeasuredModels)
  return { span, ...makeTelemetry({ ...given, clock, span, metrics }) }
})

export const withTelemetry = Effect.fnUntraced(function* <E, R>(life: Effect.Effect<void, E, R>, given: TracedLife) {
  const { tracer, ended } = given
  const opened = yield* openTelemetry(given)
  if (opened === undefined) return yield* life
  const { span, ...telemetry } = opened
  const [gates, observers] = [yield* OwnGates, yield* OwnObservers]
  return yield* life.pipe(
    Effect.onExit(() => Effect.sync(() => telemetry.end(ended()))),
    Effect.provideService(OwnGates, [...gates, gateOf(telemetry)]),
    Effect.provideService(OwnObservers, [...observers, telemetry.observer]),
    Effect.provideService(TraceVariables, variablesOf(span)),
    Effect.withParentSpan(span),
    Effect.withTracer(tracer)
  )
})
