/** Agents of the plain door: options are checked at once, and an agent serves any number of runs and sessions. */
import { Effect, Layer, Predicate, Result } from "effect"
import { Acp, acpAgent, namedAcpAgent } from "../../agents/Acp.ts"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { acceptSupported } from "../../agents/engine/prepare.ts"
import { activeSpan } from "../../agents/telemetry/activeSpan.ts"
import type { Cli } from "../../cli/Cli.ts"
import { clis, isCli, isCliId } from "../../cli/clis.ts"
import { type AgentOptions, acpUsages, isAcpUsage, parseOptions } from "../../contract/AgentOptions.ts"
import { type AcpAgentId, acpAgentIds, type CliId, isAcpAgentId } from "../../contract/CliSupport.ts"
import { typeErrorAt } from "../../contract/errors/callSite.ts"
import type { CreateAcpAgentOptions, CreateAgentOptions, Kept, OwnCli, PlainAgent } from "../../contract/PlainAgent.ts"
import type { PlainSeams } from "../../contract/PlainGate.ts"
import { hintFor } from "../../contract/suggestions.ts"
import type { OtelMeter, OtelTracer, PlainTelemetryOptions } from "../../contract/Telemetry.ts"
import type { LedgerOptions } from "../../contract/Usage.ts"
import { checkOptions } from "../../money/ledger/budgets/definition.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import { warnings } from "./Errors.ts"
import { openStoreOf } from "./PlainStore.ts"
import { makePlainAgent } from "./plainAgent.ts"
import { seamsLayer } from "./plainGate.ts"

// The tracer and the meter of an application that does not use Effect, as parts of an agent's layer.

const has = (input: unknown, method: string) =>
  Predicate.hasProperty(input, method) && Predicate.isFunction(input[method])

const isTracer = (input: unknown): input is OtelTracer => has(input, "startSpan")
const isMeter = (input: unknown): input is OtelMeter => has(input, "createHistogram") && has(input, "createGauge")

const telemetryProblem = ({ tracer, meter }: PlainTelemetryOptions): string | undefined => {
  if (tracer !== undefined && !isTracer(tracer)) {
    return 'telemetry.tracer: is not a tracer of @opentelemetry/api, such as `trace.getTracer("my-app")`'
  }
  if (meter === undefined) return undefined
  if (!isMeter(meter)) {
    return 'telemetry.meter: is not a meter of @opentelemetry/api (1.9 or newer), such as `metrics.getMeter("my-app")`'
  }
  return tracer === undefined ? "telemetry.meter: needs telemetry.tracer, too" : undefined
}

const telemetryLayer = ({ tracer, meter }: PlainTelemetryOptions): Layer.Layer<never> => {
  if (tracer === undefined) return Layer.empty
  const loading = Effect.promise(() => import("../../agents/telemetry/openTelemetry.ts"))
  return Layer.unwrap(Effect.map(loading, ({ openTelemetryLayer }) => openTelemetryLayer(tracer, meter)))
}

/** The active span at a call, for an agent with a tracer. */
const callersSpan = ({ tracer }: PlainTelemetryOptions) => (tracer === undefined ? undefined : activeSpan)

/** The problem, with the name of the option and the fix. */
const ledgerProblem = (options: LedgerOptions, hasStore: boolean): string | undefined => {
  const [first] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (first === undefined) return undefined
  if (!hasStore) return `${first}: needs a store: make the agent with { store: await openStore() }`
  const checked = checkOptions(options)
  return Result.isFailure(checked) ? checked.failure.message : undefined
}

type Callee = typeof createAgent | typeof createAcpAgent

const checkedSeams = (
  callee: Callee,
  cli: Cli,
  options: AgentOptions,
  first: { [Name in keyof PlainSeams]: PlainSeams[Name] | undefined }
) => {
  const layer = parseOptions(options).pipe(
    Result.flatMap(({ defaults = {} }) => acceptSupported(cli, cli.supports, defaults)),
    Result.flatMap(() => seamsLayer(first))
  )
  if (Result.isFailure(layer)) throw typeErrorAt(callee, `${callee.name}: ${layer.failure.message}`)
  return layer.success
}

/** Splits the options of the engine from those of the application's tracer. Throws for invalid ones. */
const checkedTelemetry = (callee: Callee, first: PlainTelemetryOptions = {}) => {
  // Any other value is refused with the other options.
  if (typeof first !== "object" || first === null) return { telemetry: first, traced: {} }
  const { tracer, meter, ...telemetry } = first
  const problem = telemetryProblem({ tracer, meter })
  if (problem !== undefined) throw typeErrorAt(callee, `${callee.name}: ${problem}`)
  return { telemetry, traced: { tracer, meter } }
}

const forAcp = 'an agent of the Agent Client Protocol is made by createAcpAgent({ command: "qwen", args: ["--acp"] })'

/** Advice to follow the problem of an object in place of the name: options, perhaps below the name. */
const firstRemark = (first: unknown, known: ReadonlyArray<string>): string => {
  if (!Predicate.isObject(first)) return ""
  const id = known.find((name) => name in first)
  if (id !== undefined) return `; the options follow the name: createAgent("${id}", { … })`
  if ("plan" in first) return "; a CLI of your own is the value of Cli.make"
  return "acp" in first || "command" in first
    ? `; ${forAcp}`
    : '; the options follow the name: createAgent("claude", { … })'
}

const others = "`reins agents` lists the agents that it knows besides them"

/** The value of the agent, and its options with the arguments of one that is known by name. */
const agentOf = <Options extends AgentOptions>(first: CliId | AcpAgentId | OwnCli, options: Options) => {
  if (isCli(first)) return { cli: first, options }
  const known = Object.keys(clis)
  if (typeof first !== "string") {
    throw typeErrorAt(
      createAgent,
      `createAgent: the first argument is not one of ${known.join(", ")}${firstRemark(first, known)}`
    )
  }
  const key = first.trim().toLowerCase()
  if (isCliId(key)) return { cli: clis[key], options }
  if (isAcpAgentId(key)) return namedAcpAgent(key, options)
  const hint = key === "acp" ? `; ${forAcp}` : hintFor(first, [...known, ...acpAgentIds])
  throw typeErrorAt(
    createAgent,
    `createAgent: ${JSON.stringify(first)} is not one of ${known.join(", ")}${hint}${hint === "" ? `; ${others}` : ""}`
  )
}

/** The agent itself, or through its store and ledger. Throws for a store that is not from `openStore`. */
const through = (
  callee: Callee,
  agent: (seams: Layer.Layer<never>) => Layer.Layer<AgentRuntime>,
  seams: Layer.Layer<never>,
  { store, ...ledger }: Kept
): Layer.Layer<AgentRuntime> => {
  const problem = ledgerProblem(ledger, store !== undefined)
  if (problem !== undefined) throw typeErrorAt(callee, `${callee.name}: ${problem}`)
  if (store === undefined) return agent(seams)
  const opened = openStoreOf(store)
  if (opened === undefined) throw typeErrorAt(callee, `${callee.name}: store: is not one of \`await openStore()\``)
  const loading = Effect.promise(() => import("./storedAgent.ts"))
  return Layer.unwrap(Effect.map(loading, ({ storedAgent }) => storedAgent(agent, seams, opened, ledger)))
}

/**
 * One agent for any number of runs, also concurrent ones. Nothing is started before the first run. The CLI is a supported
 * one, by its id; an agent of the Agent Client Protocol that Reins knows by name, such as `copilot`; or one of your own: the
 * value of `Cli.make` of the Effect door.
 */
export const createAgent = <Name extends CliId | AcpAgentId | OwnCli>(
  cli: Name,
  options: CreateAgentOptions<Name extends CliId | AcpAgentId ? Name : string> = {}
): PlainAgent<Name extends CliId | AcpAgentId ? Name : string> => {
  if (!Predicate.isObject(options)) throw typeErrorAt(createAgent, "createAgent: the options are not an object")
  const { timeoutMs, gates, observers, store, budgets, zone, account, prices, ...first }: CreateAgentOptions = options
  const timeouts = { ...first.timeouts, idle: first.timeouts?.idle ?? timeoutMs }
  const { cli: value, options: ready } = agentOf(cli, { ...first, timeouts })
  const { telemetry, traced } = checkedTelemetry(createAgent, ready.telemetry)
  const own = { ...ready, telemetry }
  const seams = Layer.merge(checkedSeams(createAgent, value, own, { gates, observers }), telemetryLayer(traced))
  const layer = AgentRuntime.layer(value, own)
  const agent = (all: Layer.Layer<never>) => layer.pipe(Layer.provide([nodePlatform, warnings, all]))
  const agentWithStore = through(createAgent, agent, seams, { store, budgets, zone, account, prices })
  return makePlainAgent(value.id, agentWithStore, first.defaults, store !== undefined, callersSpan(traced))
}

/** Any agent that speaks the Agent Client Protocol, as described at `Acp.layer`. */
export const createAcpAgent = (first: CreateAcpAgentOptions): PlainAgent<"acp"> => {
  if (!Predicate.isObject(first) || typeof first.command !== "string") {
    throw typeErrorAt(createAcpAgent, "createAcpAgent: the options are not an object with a command")
  }
  const { gates, observers, store, budgets, zone, account, prices, ...others } = first
  const { telemetry, traced } = checkedTelemetry(createAcpAgent, others.telemetry)
  const agent = { ...others, telemetry }
  const { args = [], id = "acp", usage = "turn", ...options } = agent
  if (!Array.isArray(args)) throw typeErrorAt(createAcpAgent, "createAcpAgent: args: is not a list of texts")
  if (!isAcpUsage(usage))
    throw typeErrorAt(createAcpAgent, `createAcpAgent: usage: is not one of ${acpUsages.join(", ")}`)
  const own = checkedSeams(createAcpAgent, acpAgent(agent).cli, options, { gates, observers })
  const seams = Layer.merge(own, telemetryLayer(traced))
  const layer = (all: Layer.Layer<never>) => Acp.layer(agent).pipe(Layer.provide([nodePlatform, warnings, all]))
  const agentWithStore = through(createAcpAgent, layer, seams, { store, budgets, zone, account, prices })
  return makePlainAgent(id, agentWithStore, agent.defaults, store !== undefined, callersSpan(traced))
}
