/** Kind and title of a tool call, for people. The names here are for calls without a kind, as in older records. */
import type { ToolKind, ToolUseEvent } from "../../contract/ToolEvent.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { titleOf } from "../../contract/text/toolTitle.ts"

/** In characters. */
const longestTitle = 300
const longestName = 200

const names: { readonly [Kind in ToolKind]?: ReadonlyArray<string> } = {
  command: ["Bash", "KillShell"],
  file_change: ["Edit", "Write", "NotebookEdit"],
  read: ["Read"],
  search: ["Glob", "Grep"],
  web: ["WebSearch", "WebFetch"],
  plan: ["TodoWrite", "TodoRead"],
  question: ["AskUserQuestion"],
  subagent: ["Task", "Agent"]
}

const kinds = new Map(
  Object.entries(names).flatMap(([kind, of]) => of.map((name) => [name, kind as ToolKind] as const)) // its own keys
)

/** The inputs that best describe a call, in order. */
const about: { readonly [Kind in ToolKind]?: ReadonlyArray<string> } = {
  command: ["command", "shell_id"],
  file_change: ["file_path"],
  read: ["file_path"],
  search: ["pattern", "query", "dir_path"],
  web: ["url", "query"],
  subagent: ["description", "prompt"]
}

export interface ToolFacts {
  readonly kind: ToolKind
  readonly toolName: string
  readonly title: string
}

/** For a result whose call is not known. */
export const unknownTool: ToolFacts = { kind: "other", toolName: "tool", title: "tool" }

const mcpNames = /^mcp__(.+?)__(.+)$/

export const toolFacts = ({ toolName, title, kind, input }: ToolUseEvent): ToolFacts => {
  const mcp = mcpNames.exec(toolName)
  const known = kind ?? (mcp === null ? (kinds.get(toolName) ?? "other") : "mcp")
  const usual = mcp === null ? () => titleOf(toolName, input, about[known] ?? []) : () => `${mcp[1]}: ${mcp[2]}`
  return { kind: known, toolName: shortLine(toolName, longestName), title: shortLine(title ?? usual(), longestTitle) }
}

/** Name and title as they are shown: said once, and a path relative to the directory of the session. */
export interface ToolLabel {
  readonly name: string
  /** Empty where the name says everything. */
  readonly title: string
}

export const labelOf = ({ kind, toolName, title }: ToolFacts, workingDirectory: string | undefined): ToolLabel => {
  const isPath = workingDirectory !== undefined && title.startsWith(`${workingDirectory}/`)
  const label = isPath ? title.slice(workingDirectory.length + 1) : title
  // The title of an MCP tool includes its name.
  if (kind === "mcp" && label !== "") return { name: label, title: "" }
  return { name: toolName, title: label === toolName ? "" : label }
}
