/** For one turn: whether it had any text, and the last ended call, if that failed without being denied. */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AcpFlavor, FailedCall } from "./flavor.ts"
import { describeByKind, type ToolCalls } from "./toolCalls.ts"

export interface LastCall {
  readonly spoke: () => void
  readonly denied: (toolId: string) => void
  readonly observe: (events: ReadonlyArray<AgentEvent>) => void
  /** Events in the place of an answer, for a turn that has ended well. */
  readonly standIn: () => ReadonlyArray<AgentEvent>
}

export const makeLastCall = (flavor: AcpFlavor, params: AgentOpenParams, calls: ToolCalls): LastCall => {
  const { describe = describeByKind } = flavor
  const refused = new Set<string>()
  let hasSpoken = false
  let failed: FailedCall | undefined

  return {
    spoke: () => {
      hasSpoken = true
    },
    denied: (toolId) => {
      refused.add(toolId)
    },
    observe: (events) => {
      for (const event of events) {
        if (event.type !== "tool_result") continue
        const { toolId, output, isError } = event
        const call = isError && !refused.has(toolId) ? calls.call(toolId) : undefined
        failed = call && { toolName: describe(call, params).toolName, toolId, output }
      }
    },
    standIn: () => (hasSpoken || failed === undefined ? [] : (flavor.standIn?.(failed) ?? []))
  }
}
