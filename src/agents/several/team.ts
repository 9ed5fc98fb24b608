/** Several agents by name, and the checks that `race`, `each` and `fallback` share before anything is started. */
import { Effect, Predicate, Result, Schema } from "effect"
import { Aborted, type AgentError, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { type AgentDefaults, withDefaults } from "../../contract/AgentOptions.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { AgentsError } from "../../contract/AgentsError.ts"
import { Callback, makeParser } from "../../contract/checkInput.ts"
import type { AgentEnd, ParamsOfAgents } from "../../contract/SeveralAgents.ts"
import { untraced } from "../../contract/untraced.ts"

/** An agent whose last run in `fallback` failed at a limit, with the time of its end. */
export interface Limited {
  readonly agent: string
  readonly error: AgentError
}

export interface Team {
  /** In the order in which they were given. */
  readonly names: ReadonlyArray<string>
  /** Defaults below the params of each call. */
  readonly defaults: (agent: string) => Effect.Effect<AgentDefaults | undefined>
  readonly run: <Output>(
    agent: string,
    params: AgentExecuteParams<Output>,
    onEvent: (event: AgentEvent) => void
  ) => Effect.Effect<AgentRunResult<Output>, AgentError>
  /** By agent; changed by `fallback`. */
  readonly limits: Map<string, Limited>
}

export interface Member<Output = unknown> {
  readonly agent: string
  readonly params: AgentExecuteParams<Output>
}

const fail = (option: string, problem: string) => new AgentsError({ reason: new InvalidParams({ option, problem }) })

const shared = { agents: Schema.optional(Schema.Array(Schema.String)), onEvent: Schema.optional(Callback) }

const parsers = {
  race: makeParser(
    Schema.Struct({ ...shared, worktrees: Schema.optional(Schema.Boolean), accept: Schema.optional(Callback) }),
    "options"
  ),
  each: makeParser(Schema.Struct({ ...shared, worktrees: Schema.optional(Schema.Boolean) }), "options"),
  fallback: makeParser(
    Schema.Struct({
      ...shared,
      conversation: Schema.optional(
        Schema.Struct({
          agent: Schema.String,
          sessionId: Schema.optional(Schema.String),
          turns: Schema.Array(
            Schema.Struct({
              agent: Schema.String,
              prompt: Schema.String,
              answer: Schema.String,
              tools: Schema.Array(
                Schema.Struct({ tool: Schema.String, title: Schema.optional(Schema.String), output: Schema.String })
              )
            })
          )
        })
      ),
      handOver: Schema.optional(Schema.Union([Schema.Boolean, Callback]))
    }),
    "options"
  )
}

/** The form of the options, for callers in JavaScript and conversations that were stored. */
export const checkOptions = (method: keyof typeof parsers, options: unknown): Effect.Effect<void, AgentsError> =>
  Result.match(parsers[method](options), {
    onFailure: (reason) => Effect.fail(new AgentsError({ reason })),
    onSuccess: () => Effect.void
  })

const listOf = (names: ReadonlyArray<string>) => names.map((name) => JSON.stringify(name)).join(", ")

/** Params that belong to one run. */
const ofOneAgent = ["sessionId", "newSessionId", "record"] as const
const alternative = ", or give `conversation` to `fallback`"

/** The agents to ask, with their params; fails for an unknown name, and for an empty list. */
export const membersOf = Effect.fn(...untraced("Team.membersOf"))(function* <Output>(
  { names, defaults }: Team,
  params: ParamsOfAgents<string, string, Output>,
  agents: ReadonlyArray<string> = names
) {
  const unknown = agents.find((name) => !names.includes(name))
  if (unknown !== undefined) return yield* fail("agents", `${listOf([unknown])} is not one of ${listOf(names)}`)
  if (agents.length === 0) return yield* fail("agents", "the list of agents is empty")
  if (new Set(agents).size < agents.length) return yield* fail("agents", "one of them is named twice")
  if (!Predicate.isObject(params) && typeof params !== "function") return yield* fail("params", "is not an object")
  const memberOf = (agent: string, own: AgentExecuteParams<Output>) =>
    Effect.map(defaults(agent), (below): Member<Output> => {
      // Permissions and directories are judged by all params that the CLI gets.
      return { agent, params: withDefaults(below, own) as AgentExecuteParams<Output> }
    })
  if (typeof params === "function") return yield* Effect.forEach(agents, (agent) => memberOf(agent, params(agent)))
  const single = ofOneAgent.find((option) => params[option] !== undefined)
  if (single !== undefined && agents.length > 1) {
    const cure = "make `params` a function of the agent's name"
    return yield* fail(single, `can be that of one agent only: ${cure}${single === "record" ? "" : alternative}`)
  }
  return yield* Effect.forEach(agents, (agent) => memberOf(agent, params))
})

/** Fails when the caller aborts, after all agents have ended. With params by agent, each signal aborts its own run. */
export const untilAborted = <A, R, Output>(
  effect: Effect.Effect<A, AgentsError, R>,
  params: ParamsOfAgents<string, string, Output>
): Effect.Effect<A, AgentsError, R> => {
  const signal = typeof params === "function" ? undefined : params?.abortSignal
  if (!(signal instanceof AbortSignal)) return effect
  const aborted = Effect.callback<never, AgentsError>((resume) => {
    const abort = () => resume(Effect.fail(new AgentsError({ reason: new Aborted() })))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })
  return Effect.raceFirst(aborted, effect)
}

/** The agent's run as its end: never fails. */
export const ended = <Output>(
  team: Team,
  { agent, params }: Member<Output>,
  onEvent: ((event: AgentEvent, agent: string) => void) | undefined
): Effect.Effect<AgentEnd<string, Output>> =>
  Effect.match(
    team.run(agent, params, (event) => onEvent?.(event, agent)),
    {
      // Without an output, whatever its type.
      onFailure: (error) => ({ agent, result: error.result as AgentRunResult<Output>, error }),
      onSuccess: (result) => ({ agent, result })
    }
  )
