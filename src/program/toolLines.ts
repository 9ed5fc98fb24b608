/** The lines of a transcript for a tool call: one line, and the start of its output if it failed; pure. */
import { CliOutput } from "effect/cli"
import type { AgentEvent, ToolKind } from "../contract/AgentEvent.ts"
import { formatDuration, plural } from "../text/amounts.ts"
import { harmless } from "../text/harmless.ts"
import { clip, oneLine } from "./format.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"

type ToolUse = Extract<AgentEvent, { type: "tool_use" }>
type ToolResult = Extract<AgentEvent, { type: "tool_result" }>

/** A tool call, with harmless texts. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly kind: ToolKind
  readonly parentToolId: string | undefined
  /** Undefined in a replay. */
  readonly startedAt: number | undefined
}

const unknownTool: Tool = { name: "tool", title: "", kind: "other", parentToolId: undefined, startedAt: undefined }

export const toolOf = (event: ToolUse, startedAt: number | undefined, workingDirectory: string | undefined): Tool => {
  const name = oneLine(event.toolName)
  const fullTitle = oneLine(event.title ?? "")
  const isPath = workingDirectory !== undefined && fullTitle.startsWith(`${workingDirectory}/`)
  const title = isPath ? fullTitle.slice(workingDirectory.length + 1) : fullTitle
  return {
    // The title of an MCP tool includes its name.
    name: event.kind === "mcp" && title !== "" ? title : name,
    title: event.kind === "mcp" || title === name ? "" : title,
    kind: event.kind ?? "other",
    parentToolId: event.parentToolId,
    startedAt
  }
}

/** Name and title, in at most `room` cells. */
export const toolLabel = (surface: Surface, tool: Tool, room: number): string => {
  const name = clip(tool.name, Math.max(8, Math.floor(room / 2)))
  const left = room - CliOutput.displayWidth(name) - 2
  if (tool.title === "" || left < 4) return paint(surface, "bold", name)
  return `${paint(surface, "bold", name)}  ${clip(tool.title, left)}`
}

const shownOutputLines = 5

/** The output of a successful command, short enough to follow the command on its line. */
const briefOutput = (tool: Tool, output: string): string => {
  const trimmed = output.trim()
  if (tool.kind !== "command" || trimmed === "") return ""
  const lines = trimmed.split("\n").length
  return lines === 1 ? `→ ${oneLine(trimmed)}` : `→ ${plural(lines, "line")}`
}

const firstLines = (surface: Surface, output: string, room: number): ReadonlyArray<string> => {
  const lines = harmless(output)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const more = lines.length - shownOutputLines
  const shown = more > 1 ? lines.slice(0, shownOutputLines) : lines
  const rest = more > 1 ? [`… ${plural(more, "more line")}`] : []
  return [...shown, ...rest].map((line) => paint(surface, "dim", `  ${clip(line.replaceAll("\t", "  "), room - 2)}`))
}

const timeOf = (tool: Tool, now: number | undefined) =>
  tool.startedAt === undefined || now === undefined ? "" : formatDuration(Math.max(0, now - tool.startedAt))

/** The line of a finished tool call, and its output if it failed. */
export const endedTool = (
  surface: Surface,
  known: Tool | undefined,
  result: ToolResult,
  now: number | undefined,
  indent: number
): ReadonlyArray<string> => {
  const tool = known ?? unknownTool
  const mark = result.isError ? paint(surface, "red", marks.failed) : paint(surface, "green", marks.ok)
  const time = timeOf(tool, now)
  const room = roomOf(surface) - indent
  const left = room - 2 - (time === "" ? 0 : time.length + 2)
  const label = toolLabel(surface, tool, left)
  const output = result.isError ? "" : briefOutput(tool, result.output)
  const fits = CliOutput.displayWidth(label) + CliOutput.displayWidth(output) + 2 <= left
  const parts = [label, ...(output !== "" && fits ? [paint(surface, "dim", output)] : []), paint(surface, "dim", time)]
  const line = `${mark} ${parts.filter((part) => part !== "").join("  ")}`
  return result.isError ? [line, ...firstLines(surface, result.output, room)] : [line]
}

/** The line of a tool call that never finished. */
export const unendedTool = (surface: Surface, tool: Tool, now: number | undefined): string => {
  const time = timeOf(tool, now)
  const note = time === "" ? "not ended" : `not ended after ${time}`
  const label = toolLabel(surface, tool, roomOf(surface) - note.length - 4)
  return `${paint(surface, "yellow", marks.stopped)} ${label}  ${paint(surface, "dim", note)}`
}
