/**
 * The stand-in for a missing answer of OpenCode (1.18.33): it may end without text after a failed tool, and then the
 * tool's error is all there is. Runs and live turns use the same words, and mark them by a notice.
 */
import type { NoticeEvent } from "../../../contract/AgentEvent.ts"

export interface FailedTool {
  readonly toolName: string
  readonly toolId: string
  readonly output: string
}

const longest = 4_000

const textOf = ({ toolName, output }: FailedTool) => {
  const error = output.trim() === "" ? `${toolName} failed` : `${toolName} failed: ${output.trim()}`
  return error.length <= longest ? error : `${error.slice(0, longest - 1)}…`
}

export const standInFor = (failed: FailedTool): { readonly text: string; readonly notice: NoticeEvent } => {
  const { toolName, toolId } = failed
  const message = `There is no answer: the error of the last tool, ${toolName}, stands in its place`
  return { text: textOf(failed), notice: { type: "notice", kind: "warning", message, data: { toolName, toolId } } }
}

/** Beginnings of the only texts that distinguish a refusal from any other error. */
const refusals = ["The user rejected permission to use", "The user has specified a rule which prevents you from using"]

export const isRefusal = (error: string) => refusals.some((words) => error.startsWith(words))
