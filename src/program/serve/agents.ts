/**
 * The agents of `reins serve`: every installed CLI, the configured one first, and those that the configuration names; without
 * any, the demo agent. Each records its usage in the ledger. An agent of the Agent Client Protocol is served only if the
 * configuration names it: a program of its name can be another one, such as `goose`, which migrates databases.
 */
import { delimiter } from "node:path"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { configuredAgent, mentionedAcpAgents } from "../../api/config/ConfiguredAgent.ts"
import { examine } from "../../api/doctor/examine.ts"
import { type AcpReport, examineAcp } from "../../api/doctor/examineAcp.ts"
import type { BridgeAgents } from "../../bridge/BridgeOptions.ts"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { isAcpAgentId, type KnownAgentId } from "../../contract/CliSupport.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { AgentReport } from "../../contract/DoctorReport.ts"
import { untraced } from "../../contract/untraced.ts"
import { Ledger } from "../../money/Ledger.ts"
import { findCommand } from "../../system/process/findCommand.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { chosenAgent, cliIds, demoOfConversations } from "../chosenAgent.ts"
import type { WebAgent } from "./webChannel.ts"

type Billing = AgentOptions["billing"]
type Runtime = Layer.Layer<AgentRuntime, never, Platform>

/** Gives an agent other options in directories with another way of paying. */
const paidByDirectory = (
  configuration: Configuration,
  options: AgentOptions,
  layerOf: (options: AgentOptions) => Runtime
): Runtime => {
  const others = new Set(Object.values(configuration.directories).map(({ billing }) => billing))
  others.delete(undefined)
  others.delete(options.billing)
  if (others.size === 0) return layerOf(options)
  return Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const runtime = (billing: Billing): Effect.Effect<AgentRuntime["Service"], never, Scope.Scope | Platform> =>
        Effect.map(Layer.build(layerOf({ ...options, billing })), (built) => Context.get(built, AgentRuntime))
      const usual = yield* runtime(options.billing)
      const made = new Map<Billing, AgentRuntime["Service"]>()
      for (const billing of others) made.set(billing, yield* runtime(billing))
      const at = (workingDirectory: string | undefined) => {
        const there = configuredAgent(configuration, { workingDirectory: workingDirectory ?? process.cwd() })
        return made.get(there.options.billing) ?? usual
      }
      return {
        ...usual,
        execute: (params) => Stream.suspend(() => at(params.workingDirectory).execute(params)),
        run: (params, how) => Effect.suspend(() => at(params.workingDirectory).run(params, how)),
        open: (params) => Effect.suspend(() => at(params?.workingDirectory).open(params))
      }
    })
  )
}

export interface ServedAgents {
  readonly layers: BridgeAgents
  /** Asked unless another one is chosen. */
  readonly agent: string
  /** For the user who started the host. */
  readonly notes: ReadonlyArray<string>
  /** For the page; asks the CLIs for their versions. */
  readonly rows: Effect.Effect<ReadonlyArray<WebAgent>>
}

/** The bridge reads the budgets of its agents. */
const withLedger = (agent: BridgeAgents[string], { usage, budgets, zone, prices }: Configuration) =>
  usage === false && budgets === undefined
    ? agent
    : Layer.merge(agent, Layer.effect(Ledger, Ledger)).pipe(
        Layer.provide(Layer.orDie(Ledger.layer({ budgets, zone, prices })))
      )

const layerOf = (configuration: Configuration, id: KnownAgentId): BridgeAgents[string] => {
  const { cli, options: own } = chosenAgent(id)
  const { telemetry } = configuration
  const traced = telemetry === undefined ? {} : { telemetry }
  // Directories belong to chats, where their configuration applies.
  const { options } = configuredAgent({ agents: configuration.agents, directories: {}, ...traced }, { agent: id })
  const agent = paidByDirectory(configuration, { ...own, ...options }, (paid) => AgentRuntime.layer(cli, paid))
  return withLedger(agent, configuration)
}

const demoLayer = AgentRuntime.layer(demoOfConversations.cli, demoOfConversations.options)

/** The configured agent, and those of directories, chats and webhooks. */
const namedIn = (configuration: Configuration) => ({
  wanted: configuredAgent(configuration).agent,
  others: [configuration.directories, configuration.chats ?? {}, configuration.webhooks ?? {}].flatMap((table) =>
    Object.values(table).flatMap(({ agent }) => (agent === undefined ? [] : [agent]))
  )
})

/** The user's own CLI answers unless another agent is chosen; nothing has to be installed for it but its program. */
const withOwn = (cli: Cli, configuration: Configuration, { layers, rows }: ServedAgents): ServedAgents => {
  const { telemetry } = configuration
  const { demo: _, ...others } = layers
  const own = withLedger(AgentRuntime.layer(cli, telemetry === undefined ? {} : { telemetry }), configuration)
  return {
    layers: { [cli.id]: own, ...others },
    agent: cli.id,
    notes: [],
    rows: Effect.map(rows, (all) => [{ id: cli.id, name: cli.id }, ...all.filter(({ id }) => id !== "demo")])
  }
}

const rowOf = ({ agent, status, version, problem, install, signedIn, credentials, signIn }: AgentReport): WebAgent => {
  const isMissing = status === "missing"
  const wrong = isMissing ? `Then ${signIn}.` : signedIn === false ? `is not signed in: ${signIn}` : problem
  return {
    id: agent,
    name: agent,
    ...(version === undefined ? {} : { version }),
    ...(wrong === undefined ? {} : { problem: wrong }),
    ...(isMissing ? { install } : {}),
    ...(signedIn === true ? { signedIn: credentials ?? "account" } : {})
  }
}

/** Whether one of the protocol is signed in is not known. */
const acpRowOf = ({ agent, path, version, install, signIn }: AcpReport): WebAgent => ({
  id: agent,
  name: agent,
  ...(version === undefined ? {} : { version }),
  ...(path === undefined ? { install, problem: `Then ${signIn}.` } : {})
})

const demoRow: WebAgent = { id: "demo", name: "demo agent" }

export const findAgents = Effect.fn(...untraced("Agents.findAgents"))(function* (
  configuration: Configuration,
  own: Cli | undefined
) {
  const host = yield* HostEnvironment
  const directories = (host["PATH"] ?? "").split(delimiter)
  const commandOf = (id: KnownAgentId) => configuration.agents[id]?.command ?? chosenAgent(id).cli.command
  const { wanted: names, others } = namedIn(configuration)
  const known: ReadonlyArray<KnownAgentId> = [...cliIds, ...mentionedAcpAgents(configuration)]
  const all = yield* Effect.forEach(known, (id) =>
    Effect.map(findCommand(commandOf(id), directories), (path) => ({ id, isFound: path !== undefined }))
  )
  const found = all.flatMap(({ id, isFound }) => (isFound ? [id] : []))
  const isChosen = configuration.agent !== undefined || others.includes(names)
  const isMissing = !found.includes(names)
  const first = isMissing ? found[0] : names
  const ids = [...new Set([...(first === undefined ? [] : [first]), ...found, ...(isChosen ? [names] : []), ...others])]
  const instead = first ?? "the demo agent"
  const { install } = chosenAgent(names).cli
  const notes = [
    ...(isMissing && isChosen
      ? [`${names}, the configured agent, is not installed: ${install}. Until then ${instead} answers.`]
      : []),
    ...(first === undefined && !isChosen
      ? [
          `No agent CLI is installed: the demo agent answers, which has no model. To install one: ${install}; reins doctor has the others.`
        ]
      : [])
  ]
  const layers: BridgeAgents = {
    ...(first === undefined ? { demo: demoLayer } : {}),
    ...Object.fromEntries(ids.map((id) => [id, layerOf(configuration, id)]))
  }
  const versions = Effect.forEach(
    known,
    (id) => {
      if (isAcpAgentId(id)) return Effect.map(examineAcp(id, directories, commandOf(id)), acpRowOf)
      const cli: Cli = { ...chosenAgent(id).cli, command: commandOf(id) }
      return Effect.map(examine(cli, directories, host), rowOf)
    },
    { concurrency: "unbounded" }
  )
  const context = yield* Effect.context<Effect.Services<typeof versions>>()
  const rows = yield* Effect.cachedWithTTL(
    Effect.provideContext(
      Effect.map(versions, (clis) => (first === undefined ? [demoRow, ...clis] : clis)),
      context
    ),
    "5 minutes"
  )
  const served: ServedAgents = { layers, agent: first ?? "demo", notes, rows }
  return own === undefined ? served : withOwn(own, configuration, served)
})
