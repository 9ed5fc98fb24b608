/** State kept from line to line of one run of Gemini CLI (0.61.0). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { PermissionDenial } from "../../../contract/AgentRunResult.ts"
import type { RunReport } from "../../Decoder.ts"
import type { RunResult, ToolUse } from "../wire.ts"

export interface State {
  /** The model has answered or called a tool; or neither is needed, since a slash command may be the whole run. */
  readonly hasAnswer: boolean
  /** The servers that were handed over. */
  readonly servers: ReadonlyArray<string>
  /** Open calls by id: a `tool_result` does not repeat the name. */
  readonly calls: ReadonlyMap<string, ToolUse>
  readonly denials: ReadonlyArray<PermissionDenial>
  /** Deltas have come since the last line of another kind. */
  readonly isStreaming: boolean
  /** The last `error` line of a failure or, without one, the first warning. */
  readonly error: { readonly message: string; readonly isFailure: boolean } | undefined
  readonly report: RunReport
  /** The last line; the verdict is made of it. */
  readonly result: RunResult | undefined
}

export const start = (params: AgentExecuteParams): State => ({
  hasAnswer: params.slashCommands === true,
  servers: Object.keys(params.mcpServers ?? {}),
  calls: new Map(),
  denials: [],
  isStreaming: false,
  error: undefined,
  report: {},
  result: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]
