/** Several agents of the plain door, by name: `race`, `each` and `fallback` over any agents with `run`. */
import { Effect, Layer, Predicate } from "effect"
import { fallback } from "../../agents/several/fallback.ts"
import { each, race } from "../../agents/several/race.ts"
import type { Team } from "../../agents/several/team.ts"
import { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { AcpAgentId, CliId } from "../../contract/CliSupport.ts"
import type { PlainAgent, PlainAgents } from "../../contract/PlainAgent.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import { createAgent } from "./CreateAgent.ts"
import { warnings } from "./Errors.ts"
import { valueOrThrow } from "./plainAgent.ts"

/** An interruption aborts the run and waits for its end. */
const runOf =
  (agent: PlainAgent): Team["run"] =>
  <Output>(_name: string, params: AgentExecuteParams<Output>, onEvent: (event: AgentEvent) => void) =>
    Effect.callback<AgentRunResult<Output>, AgentError>((resume) => {
      const controller = new AbortController()
      const signals = [controller.signal, ...(params.abortSignal === undefined ? [] : [params.abortSignal])]
      const settled = agent.run({ ...params, abortSignal: AbortSignal.any(signals) }, { onEvent }).then(
        (result) => resume(Effect.succeed(result)),
        (error) => resume(error instanceof AgentError ? Effect.fail(error) : Effect.die(error))
      )
      return Effect.promise(() => {
        controller.abort()
        return settled
      })
    })

const isAgent = (input: unknown): input is PlainAgent =>
  Predicate.hasProperty(input, "run") && Predicate.isFunction(input.run)

const byName = (value: unknown): ReadonlyMap<string, PlainAgent> => {
  if (Array.isArray(value)) return new Map(value.map((id) => createAgent(id)).map((agent) => [agent.cli, agent]))
  if (!Predicate.isObject(value))
    throw new TypeError("createAgents: the agents are neither a list of ids nor an object")
  return new Map(
    Object.entries(value).map(([name, agent]) => {
      if (isAgent(agent)) return [name, agent]
      throw new TypeError(`createAgents: ${JSON.stringify(name)} is not an agent, such as createAgent("claude")`)
    })
  )
}

/** Several agents to ask together: those that Reins knows by their ids, or any agents by names of your own. Closing it closes them. */
export function createAgents<const Name extends CliId | AcpAgentId>(ids: ReadonlyArray<Name>): PlainAgents<Name, Name>
export function createAgents<Name extends string>(agents: Readonly<Record<Name, PlainAgent>>): PlainAgents<Name>
export function createAgents(value: unknown): PlainAgents {
  const agents = byName(value)
  const names = [...agents.keys()]
  const get = (name: string) => {
    const agent = agents.get(name)
    if (agent !== undefined) return agent
    const known = names.map((each) => JSON.stringify(each)).join(", ")
    throw new TypeError(`createAgents: ${JSON.stringify(String(name))} is not one of ${known}`)
  }
  const team: Team = {
    names,
    limits: new Map(),
    defaults: (name) => Effect.succeed(get(name).defaults),
    run: (name, ...args) => runOf(get(name))(name, ...args)
  }
  const active = new Set<Promise<unknown>>()

  const promised = async <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof nodePlatform>>): Promise<A> => {
    const running = Effect.runPromiseExit(Effect.provide(effect, Layer.merge(nodePlatform, warnings)))
    active.add(running)
    const exit = await running
    active.delete(running)
    return valueOrThrow(exit)
  }

  const close = async () => {
    await Promise.all([...agents.values()].map((agent) => agent.close()))
    await Promise.all(active)
  }
  return {
    names,
    get,
    race: (params, options) => promised(race(team, params, options)),
    each: (params, options) => promised(each(team, params, options)),
    fallback: (params, options) => promised(fallback(team, params, options)),
    close,
    [Symbol.asyncDispose]: close
  }
}
