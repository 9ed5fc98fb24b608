/** A layer of `AgentRuntime` for each supported CLI, and several of them at once: `race`, `each`, `fallback`. */
import { Context, Effect, Layer, LayerMap } from "effect"
import type { Cli } from "../cli/Cli.ts"
import { clis } from "../cli/clis.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { AgentsError } from "../contract/AgentsError.ts"
import type {
  AgentEnd,
  EachOptions,
  FallbackAnswer,
  FallbackOptions,
  ParamsOfAgents,
  RaceAnswer,
  RaceOptions
} from "../contract/SeveralAgents.ts"
import { untraced } from "../contract/untraced.ts"
import type { Platform } from "../system/process/Platform.ts"
import { AgentRuntime } from "./AgentRuntime.ts"
import { fallback } from "./several/fallback.ts"
import { each, race } from "./several/race.ts"
import type { Team } from "./several/team.ts"

export { type CliId, clis } from "../cli/clis.ts"

export interface Agent {
  /** `AgentRuntime` for this CLI. Needs a spawner, a file system and paths (`NodeServices.layer`). */
  readonly layer: (options?: AgentOptions) => Layer.Layer<AgentRuntime, never, Platform>
}

const agent = (cli: Cli): Agent => ({ layer: (options) => AgentRuntime.layer(cli, options) })

/** Claude Code. */
export const Claude: Agent = agent(clis.claude)

/** Gemini CLI. */
export const Gemini: Agent = agent(clis.gemini)

/** OpenCode. */
export const OpenCode: Agent = agent(clis.opencode)

/** Codex. */
export const Codex: Agent = agent(clis.codex)

/** Pi. */
export const Pi: Agent = agent(clis.pi)

type AgentLayers = Readonly<Record<string, Layer.Layer<AgentRuntime, never, Platform>>>

/** Several agents by name, each with its own layer of `AgentRuntime`. */
export class Agents extends Context.Service<
  Agents,
  {
    /** In the order in which they were given. */
    readonly names: ReadonlyArray<string>
    /** `AgentRuntime` of one of them, by its name; fails with `InvalidParams` for another name. */
    readonly map: LayerMap.LayerMap<string, AgentRuntime, AgentsError>
    /**
     * Asks all agents at the same time: the first good answer. The others are ended, and nothing of them is left. Agents
     * that may change files need a directory each, such as `worktrees: true`, or fail with `SharedDirectory`.
     */
    readonly race: <Output = unknown>(
      params: ParamsOfAgents<string, string, Output>,
      options?: RaceOptions<string, Output>
    ) => Effect.Effect<RaceAnswer<string, Output>, AgentsError>
    /** Asks all agents at the same time: the end of each, in their order, failures included. Directories as for `race`. */
    readonly each: <Output = unknown>(
      params: ParamsOfAgents<string, string, Output>,
      options?: EachOptions
    ) => Effect.Effect<ReadonlyArray<AgentEnd<string, Output>>, AgentsError>
    /**
     * Asks the first agent. The next one is asked if that one is not installed, not signed in or out of quota, and gave
     * no output, so that no work is done twice.
     */
    readonly fallback: <Output = unknown>(
      params: ParamsOfAgents<string, string, Output>,
      options?: FallbackOptions
    ) => Effect.Effect<FallbackAnswer<string, Output>, AgentsError>
  }
>()("reins/Agents") {
  /** Combines layers of `AgentRuntime` under names of your own: `Codex`, `Acp`, or a CLI that you made. */
  static readonly layer = (agents: AgentLayers): Layer.Layer<Agents, never, Platform> =>
    Layer.effect(Agents, makeAgents(agents))

  /** `AgentRuntime` of one agent. */
  static readonly get = (name: string): Layer.Layer<AgentRuntime, AgentsError, Agents> =>
    Layer.unwrap(Effect.map(Agents, ({ map }) => map.get(name)))
}

const makeAgents = Effect.fn(...untraced("Agents.makeAgents"))(function* (agents: AgentLayers) {
  const names = Object.keys(agents)
  const platform = yield* Effect.context<Platform>()
  const unknown = (name: string) => {
    const known = names.map((each) => JSON.stringify(each)).join(", ")
    return new AgentsError({
      reason: new InvalidParams({ option: "agent", problem: `${JSON.stringify(name)} is not one of ${known}` })
    })
  }
  const map = yield* LayerMap.make(
    (name: string): Layer.Layer<AgentRuntime, AgentsError, Platform> =>
      (Object.hasOwn(agents, name) ? agents[name] : undefined) ?? Layer.effect(AgentRuntime, Effect.fail(unknown(name)))
  )
  // The names were checked.
  const runtimeOf = (agent: string) =>
    Effect.map(Effect.orDie(map.contextEffect(agent)), (context) => Context.get(context, AgentRuntime))
  const team: Team = {
    names,
    defaults: (agent) => Effect.scoped(Effect.map(runtimeOf(agent), ({ defaults }) => defaults)),
    limits: new Map(),
    run: (agent, params, onEvent) =>
      Effect.scoped(Effect.flatMap(runtimeOf(agent), ({ run }) => run(params, { onEvent })))
  }
  const here = <A, E>(asking: Effect.Effect<A, E, Platform>) => Effect.provideContext(asking, platform)
  const agentsOf: Agents["Service"] = {
    names,
    map,
    race: (params, options) => here(race(team, params, options)),
    each: (params, options) => here(each(team, params, options)),
    fallback: (params, options) => fallback(team, params, options)
  }
  return agentsOf
})
