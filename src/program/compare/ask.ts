/** The agents of a comparison: each with its configuration, budgets and ledger, as in a run of its own. */
import { type Duration, Effect, Layer, Option } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { Agents } from "../../agents/Agents.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { Budget } from "../../contract/Budget.ts"
import type { AgentName } from "../chosenAgent.ts"
import { recordedAgent } from "../recording/recordedAgent.ts"

export interface CompareInput {
  /** Two or more names of agents. */
  readonly agents: ReadonlyArray<string>
  readonly models: ReadonlyMap<string, string>
  readonly prompt: string
  readonly config: Option.Option<string>
  readonly cwd: Option.Option<string>
  readonly permissionMode: Option.Option<PermissionMode>
  readonly timeout: Option.Option<Duration.Duration>
  readonly budget: ReadonlyArray<Budget>
  readonly json: boolean
}

/** One after the other: each opens the store. */
export const recordedAgents = ({ agents, config, cwd, budget, json }: CompareInput) =>
  Effect.forEach(agents, (name, at) =>
    Effect.map(
      recordedAgent({
        agent: Option.some(name as AgentName), // checked with the flags
        config,
        cwd,
        budget,
        // What there is to say of the configuration is said once.
        json: json || at > 0,
        isKept: false
      }),
      (recorded) => ({ name, ...recorded })
    )
  )

type RecordedAgents = Effect.Success<ReturnType<typeof recordedAgents>>

export interface Asking {
  readonly input: CompareInput
  /** With what was piped to it. */
  readonly prompt: string
  readonly agents: RecordedAgents
  readonly onEvent: (event: AgentEvent, agent: string) => void
}

const paramsOf = ({ input, prompt }: Asking, { name, chosen }: RecordedAgents[number], abortSignal: AbortSignal) => {
  const permissionMode = Option.getOrElse(input.permissionMode, () => "plan" as const)
  // Tools that need no permission could change files in any mode.
  const hasTools = (chosen.options.defaults?.allowedTools ?? []).length > 0
  const model = input.models.get(name)
  const params: AgentExecuteParams = {
    prompt,
    permissionMode,
    abortSignal,
    ...(model === undefined ? {} : { model }),
    ...(Option.isSome(input.cwd) ? { workingDirectory: input.cwd.value } : {}),
    ...(permissionMode === "plan" && hasTools ? { allowedTools: [] } : {}),
    ...(Option.isSome(input.timeout) ? { timeouts: { total: input.timeout.value } } : {})
  }
  return params
}

/** The end of each, also where it was stopped. Those that may change files have a worktree each. */
export const askAll = (asking: Asking, abortSignal: AbortSignal) => {
  const { agents, onEvent } = asking
  const layers = Object.fromEntries(
    agents.map(({ name, chosen, recording }) => [
      name,
      Layer.provide(AgentRuntime.layer(chosen.cli, chosen.options), recording.layer)
    ])
  )
  const params = new Map(agents.map((one) => [one.name, paramsOf(asking, one, abortSignal)]))
  return Effect.flatMap(Agents, ({ each }) =>
    each((name) => params.get(name) ?? { prompt: asking.prompt }, { worktrees: true, onEvent })
  ).pipe(Effect.provide(Agents.layer(layers)))
}
