/** One call → the events of one run, or of a live session with one turn where the caller answers or has tools for it. */

import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PlainAgent } from "../../contract/PlainAgent.ts"
import type { ReinsModelOptions } from "./AiSdk.ts"
import { hostToolsOf } from "./hostTools.ts"
import type { Plan } from "./plan.ts"

const ofSessions = ["hostTools", "approvals", "onPermission", "questions", "onQuestion"] as const

async function* turnOf(
  agent: PlainAgent,
  { system: _, hostTools = [], ...handlers }: ReinsModelOptions,
  { prompt, params, turn }: Plan,
  abortSignal: AbortSignal
): AsyncGenerator<AgentEvent> {
  const tools = await hostToolsOf(hostTools)
  const session = await agent.open({ ...handlers, ...params, abortSignal, ...(tools.length === 0 ? {} : { tools }) })
  try {
    yield* session.turn(prompt, turn)
  } finally {
    await session.close()
  }
}

/** The last event is `done`, or `turn_done`. Rejects with `AgentError` where a session cannot be opened. */
export const eventsOf = (
  agent: PlainAgent,
  options: ReinsModelOptions,
  plan: Plan,
  abortSignal: AbortSignal
): AsyncIterable<AgentEvent> => {
  if (ofSessions.some((name) => options[name] !== undefined)) return turnOf(agent, options, plan, abortSignal)
  return agent.execute({ prompt: plan.prompt, ...plan.params, ...plan.turn, abortSignal })
}
