/** State kept from line to line of one run of OpenCode (1.18.33). */
import type { AgentEvent, NoticeEvent } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { FailedCall } from "../../acp/live/flavor.ts"
import type { RunReport } from "../../Decoder.ts"
import type * as Wire from "../wire.ts"
import { mcpServersOf } from "./tools.ts"

const longest = 4_000

const textOf = ({ toolName, output }: FailedCall) => {
  const error = output.trim() === "" ? `${toolName} failed` : `${toolName} failed: ${output.trim()}`
  return error.length <= longest ? error : `${error.slice(0, longest - 1)}…`
}

/** The stand-in for a missing answer: OpenCode (1.18.33) may end without text after a failed tool, whose error remains. */
export const standInFor = (failed: FailedCall): { readonly text: string; readonly notice: NoticeEvent } => {
  const { toolName, toolId } = failed
  const message = `The answer is missing: the error of the last tool, ${toolName}, stands in its place`
  return { text: textOf(failed), notice: { type: "notice", kind: "warning", message, data: { toolName, toolId } } }
}

/** Beginnings of the only texts that distinguish a refusal from any other error. */
const refusals = ["The user rejected permission to use", "The user has specified a rule which prevents you from using"]

export const isRefusal = (error: string) => refusals.some((words) => error.startsWith(words))

/** Text of the newest answer, at the end of all text. */
interface Tail {
  readonly messageId: string | undefined
  readonly length: number
}

/** The newest line that has a meaning for the verdict. */
type Last =
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
  readonly failedTool: FailedCall | undefined
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
