/**
 * The tool calls of a session that have had their `tool_use` event. A permission request can come before the line of
 * its call: the event is then made from the request, and not again from the line (2.1.328).
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { describeTool } from "../run/tools.ts"
import type { CanUseTool } from "./control.ts"

interface ToolCall {
  readonly parentToolId: string | undefined
  /** Its event was made before its line came. */
  readonly isEarly: boolean
}

export interface ToolCalls {
  /** The same events, without tool calls that already had theirs. */
  readonly withoutKnown: (events: ReadonlyArray<AgentEvent>) => ReadonlyArray<AgentEvent>
  /** This sub-agent works for this call. */
  readonly agent: (agentId: string, parentToolId: string) => void
  readonly parentOf: (toolId: string) => string | undefined
  /** The `tool_use` of a request, unless there was one. */
  readonly before: (toolId: string, request: CanUseTool) => ReadonlyArray<AgentEvent>
}

/** Calls that never had a result, and agents that are gone, are forgotten at last. */
const mostKept = 1_000

const keep = <A>(map: Map<string, A>, key: string, value: A) => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= mostKept) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

export const makeToolCalls = (): ToolCalls => {
  const calls = new Map<string, ToolCall>()
  const agents = new Map<string, string>()

  const isNews = (event: AgentEvent) => {
    if (event.type === "tool_result" && calls.get(event.toolId)?.isEarly === false) calls.delete(event.toolId)
    if (event.type !== "tool_use") return true
    const isKnown = calls.get(event.toolId)?.isEarly === true
    keep(calls, event.toolId, { parentToolId: event.parentToolId, isEarly: false })
    return !isKnown
  }

  return {
    withoutKnown: (events) => events.filter(isNews),
    agent: (agentId, parentToolId) => {
      if (agents.get(agentId) !== parentToolId) keep(agents, agentId, parentToolId)
    },
    parentOf: (toolId) => calls.get(toolId)?.parentToolId,
    before: (toolId, { tool_name: toolName, input = {}, agent_id: agentId }) => {
      if (calls.has(toolId)) return []
      const parentToolId = agentId == null ? undefined : agents.get(agentId)
      keep(calls, toolId, { parentToolId, isEarly: true })
      const nested = parentToolId === undefined ? {} : { parentToolId }
      return [{ type: "tool_use", toolName, toolId, input, ...describeTool(toolName, input), ...nested }]
    }
  }
}
