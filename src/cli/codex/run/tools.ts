/** Name, input, kind, title and outcome of a tool item of Codex (0.169.0). */
import { Result } from "effect"
import { encodeJson } from "../../../contract/json.ts"
import type { ToolKind, ToolResultEvent, ToolUseEvent } from "../../../contract/ToolEvent.ts"
import { firstLine } from "../../../contract/text/toolTitle.ts"
import { imagesOfBlock, mediaOf } from "../../media.ts"
import { type Files, textIn } from "../../toolInputs.ts"
import type { CollabToolCall, CommandExecution, FileChange, McpToolCall, ToolItem } from "../wire.ts"
import { innerCommand } from "./innerCommand.ts"

const changesOf = (item: FileChange) =>
  (item.changes ?? []).map(({ path, kind }) => `${kind ?? "change"} ${path ?? "?"}`)

const changeTitle = (item: FileChange) => {
  const [first, ...others] = changesOf(item)
  return others.length === 0 ? (first ?? "file_change") : `${first} and ${others.length} more`
}

export interface ToolCall extends Files {
  readonly toolName: string
  readonly input: unknown
  readonly kind: ToolKind
  readonly title: string
}

export const callOf = (item: ToolItem): ToolCall => {
  switch (item.type) {
    case "command_execution": {
      const command = item.command ?? ""
      const title = firstLine(innerCommand(command).text)
      return { toolName: item.type, input: { command }, kind: "command", title: title === "" ? item.type : title }
    }
    case "file_change": {
      const changes = item.changes ?? []
      const paths = [...new Set(changes.flatMap(({ path }) => path ?? []))]
      const files = paths.length === 0 ? {} : { paths }
      return { toolName: item.type, input: { changes }, kind: "file_change", title: changeTitle(item), ...files }
    }
    case "mcp_tool_call": {
      const [server, tool] = [item.server ?? "", item.tool ?? ""]
      const toolName = `mcp__${server}__${tool}`
      return { toolName, input: item.arguments ?? {}, kind: "mcp", title: `${server}: ${tool}` }
    }
    case "web_search": {
      const input = { query: item.query ?? "", ...(item.action === undefined ? {} : { action: item.action }) }
      return { toolName: item.type, input, kind: "web", title: firstLine(item.query ?? "") || item.type }
    }
    default: {
      const toolName = item.tool ?? item.type
      const prompt = item.prompt == null ? {} : { prompt: item.prompt }
      const input = { ...prompt, threads: item.receiver_thread_ids ?? [] }
      return { toolName, input, kind: "subagent", title: firstLine(item.prompt ?? "") || toolName }
    }
  }
}

/** Written out, as `toolResult` is: for half the lines of a run, and a spread costs three times as much. */
export const toolUse = (toolId: string, call: ToolCall): ToolUseEvent => {
  const { toolName, input, kind, title } = call
  const use = { type: "tool_use", toolId, toolName, input, kind, title } as const
  return "paths" in call || "edits" in call ? { ...use, ...call } : use
}

export interface ToolOutcome extends Pick<ToolResultEvent, "media"> {
  readonly output: string
  readonly isError: boolean
  readonly exitCode?: number
  readonly raw?: unknown
}

export const toolResult = (toolId: string, outcome: ToolOutcome): ToolResultEvent => {
  const { output, isError, exitCode, raw, media } = outcome
  if (media !== undefined) return { type: "tool_result", toolId, ...outcome }
  if (exitCode !== undefined) return { type: "tool_result", toolId, output, isError, exitCode, raw }
  return raw === undefined
    ? { type: "tool_result", toolId, output, isError }
    : { type: "tool_result", toolId, output, isError, raw }
}

const textOf = (part: unknown) => {
  const [text, type] = [textIn(part, "text"), textIn(part, "type")]
  if (text !== undefined) return text
  return type === undefined ? Result.getOrElse(encodeJson(part), (problem) => `[${problem}]`) : `[${type}]`
}

const mcpOutcome = ({ result, error }: McpToolCall, isError: boolean): ToolOutcome => {
  if (error != null) return { output: error.message ?? "", isError: true }
  const content = result?.content ?? []
  const isPlain = content.every((part) => textIn(part, "type") === "text")
  const isRich = !isPlain || (result?.structured_content ?? null) !== null
  const media = mediaOf(content.flatMap(imagesOfBlock))
  return { output: content.map(textOf).join("\n"), isError, ...(isRich ? { raw: result } : {}), ...media }
}

const agentsOutput = ({ agents_states }: CollabToolCall) =>
  Object.entries(agents_states ?? {})
    .map(([thread, { status, message }]) => `${thread}: ${[status, message].filter((word) => word != null).join(", ")}`)
    .join("\n")

/** Result of a call that its turn left unfinished. */
export const unfinished = { output: "did not finish", isError: true } as const satisfies ToolOutcome

/** A command that its turn has abandoned is "completed", but has no exit code. */
const commandOutcome = (
  { aggregated_output, exit_code: exitCode, status }: CommandExecution,
  isError: boolean
): ToolOutcome => {
  const output = aggregated_output ?? ""
  if (exitCode != null) return { output, isError: isError || exitCode !== 0, exitCode, raw: { exitCode } }
  const raw = { exitCode: null }
  if (status !== "completed" || exitCode === undefined) return { output, isError, raw }
  return { ...unfinished, output: output === "" ? unfinished.output : `${output}\n${unfinished.output}`, raw }
}

export const outcomeOf = (item: ToolItem): ToolOutcome => {
  const isError = item.status === "failed" || item.status === "declined"
  switch (item.type) {
    case "command_execution":
      return commandOutcome(item, isError)
    case "file_change":
      return { output: changesOf(item).join("\n"), isError }
    case "mcp_tool_call":
      return mcpOutcome(item, isError)
    case "web_search":
      return { output: "", isError }
    default:
      return { output: agentsOutput(item), isError }
  }
}
