/** State kept from line to line of one run of OpenCode (1.18.33). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { RunReport } from "../../Decoder.ts"
import type * as Wire from "../wire.ts"
import type { FailedTool } from "./standIn.ts"
import { mcpServersOf } from "./tools.ts"

/** Text of the newest model answer; it stands at the end of all text. */
export interface Tail {
  readonly messageId: string | undefined
  readonly length: number
}

/** The newest line that has a meaning for the verdict. */
export type Last =
  | { readonly type: "nothing" | "content" | "error" }
  | { readonly type: "step_finish"; readonly reason: string; readonly messageId: string | undefined }

export interface State {
  readonly mcpServers: ReadonlyArray<string>
  /** The unfinished answer: one step, one model call, one message. */
  readonly openMessage: string | undefined
  /** Characters (UTF-16 code units) of text that are still valid. */
  readonly textLength: number
  readonly tail: Tail
  readonly last: Last
  /** The newest tool call has failed. */
  readonly failedTool: FailedTool | undefined
  /** Characters of a stand-in for an answer; a later answer withdraws them. */
  readonly standIn: number
  /** The permission that was refused in the newest step, with the text for the model. */
  readonly refusal: { readonly toolName: string; readonly message: string } | undefined
  readonly failure: Wire.Failure | undefined
  readonly report: RunReport
}

export const start = (params: AgentExecuteParams): State => ({
  mcpServers: mcpServersOf(params),
  openMessage: undefined,
  textLength: 0,
  tail: { messageId: undefined, length: 0 },
  last: { type: "nothing" },
  failedTool: undefined,
  standIn: 0,
  refusal: undefined,
  failure: undefined,
  report: {}
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]
