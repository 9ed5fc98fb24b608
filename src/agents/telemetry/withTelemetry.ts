/** A run or live session with its span: its observer, its trace context for the process, and its end in any case. */
import { Clock, Context, Effect, Exit, Metric, Option, Tracer } from "effect"
import type { End } from "../../contract/Start.ts"
import type { Gate } from "../engine/Gate.ts"
import { OwnGates, OwnObservers, TraceVariables } from "../engine/ownSeams.ts"
import { variablesOf } from "./activeSpan.ts"
import { type Attributes, metricNames, spanNames } from "./attributes.ts"
import { descriptions, MeasuredModels, type Meter, makeMetrics, quietMeter } from "./metrics.ts"
import { type AgentTelemetry, makeTelemetry, type TelemetryOf } from "./observation.ts"
import { OtherMeter } from "./openTelemetry.ts"

/** Measurements as Effect `Metric`s, exported by whatever exports the context's registry. */
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

/** Made once each: keys of a registry are longer than these. Models are bounded by `makeMetrics`, the rest are words. */
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

export interface TracedLife extends Pick<TelemetryOf, "cli" | "options" | "type" | "tracer"> {
  readonly ended: () => End | undefined
  readonly caller: Context.Context<never>
}

/** Below the span of the caller, if it has one, not below one in which the agent's layer was made. */
const openSpan = ({ cli, caller, tracer }: Pick<TracedLife, "cli" | "caller" | "tracer">) => {
  // Attributes are set later: a tracer that throws must not fail a run.
  const parent = Option.getOrUndefined(Context.getOption(caller, Tracer.ParentSpan))
  const name = `${spanNames.agent} ${cli.id}`
  const opened =
    parent === undefined
      ? Effect.makeSpan(name, { root: true })
      : Effect.provideService(Effect.makeSpan(name), Tracer.ParentSpan, parent)
  return Effect.withTracer(opened, tracer)
}

/** The last gate that is asked: it knows how long the others took. */
const gateOf = ({ starting }: AgentTelemetry): Gate => ({
  name: "telemetry",
  concerns: ["run", "session"],
  admit: ({ waitedMs }) => Effect.succeed({ starting: Effect.sync(() => starting(waitedMs())) })
})

/** Opens the span, which ends with `end`. Returns undefined if the tracer makes none. */
export const openTelemetry = Effect.fnUntraced(function* (traced: Omit<TracedLife, "ended">) {
  const opened = yield* Effect.exit(openSpan(traced))
  if (Exit.isFailure(opened)) {
    yield* Effect.logWarning("the tracer failed; spans are not recorded", opened.cause)
    return undefined
  }
  const span = opened.value
  const clock = yield* Clock.Clock
  const meter = (yield* OtherMeter) ?? makeEffectMeter(yield* Effect.context<never>())
  const metrics = makeMetrics(quietMeter(meter), yield* MeasuredModels)
  return { span, ...makeTelemetry({ ...traced, clock, span, metrics }) }
})

export const withTelemetry = Effect.fnUntraced(function* <E, R>(life: Effect.Effect<void, E, R>, traced: TracedLife) {
  const { tracer, ended } = traced
  const opened = yield* openTelemetry(traced)
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
