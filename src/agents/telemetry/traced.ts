/** A span around each run and live session, if the application has a tracer: only then the code for it is loaded. */
import { Context, Effect, Tracer } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { End } from "../../contract/Start.ts"
import type { TelemetryOptions } from "../../contract/Telemetry.ts"
import type { Around } from "../engine/lifetimes.ts"

type Traced = Pick<Cli, "id" | "provider">
type Part = typeof import("./withTelemetry.ts")
/** Kept, so that a further run with a tracer starts as fast as one without. */
let loaded: Part | undefined

const loadPart: Effect.Effect<Part> = Effect.suspend(() => {
  if (loaded !== undefined) return Effect.succeed(loaded)
  return Effect.promise(async () => {
    loaded = await import("./withTelemetry.ts")
    return loaded
  })
})

/** The caller's tracer comes first: the agent's layer may have been built elsewhere. */
const tracerOf = (caller: Context.Context<never>) =>
  Effect.map(Tracer.Tracer, (agent) => {
    const own = Context.get(caller, Tracer.Tracer)
    return own === Tracer.nativeTracer ? agent : own
  })

export const traced =
  (cli: Traced, options: TelemetryOptions = {}): Around =>
  (life, { type, ended, caller }) => {
    if (type === "models") return life
    return Effect.flatMap(tracerOf(caller), (tracer) => {
      if (tracer === Tracer.nativeTracer) return life
      return Effect.flatMap(loadPart, ({ withTelemetry }) =>
        withTelemetry(life, { cli, options, type, ended, caller, tracer })
      )
    })
  }

/** The observer of a run or session without a process, in this scope. Undefined without a tracer. */
export const observedInScope = Effect.fnUntraced(function* (cli: Traced, type: "run" | "session", ended: () => End) {
  const tracer = yield* Tracer.Tracer
  if (tracer === Tracer.nativeTracer) return undefined
  const { openTelemetry } = yield* loadPart
  const caller = yield* Effect.context<never>()
  const acquire = openTelemetry({ cli, options: {}, type, caller, tracer })
  const opened = yield* Effect.acquireRelease(acquire, (telemetry) => Effect.sync(() => telemetry?.end(ended())))
  return opened?.observer
})
