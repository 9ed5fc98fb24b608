/** Kind of Claude Code's tools by their names, and a one-line title for each call (2.1.328). */
import type { ToolKind } from "../../../contract/AgentEvent.ts"
import { titleOf } from "../../title.ts"

interface Tool {
  readonly kind: ToolKind
  /** The inputs that best describe a call, in order. */
  readonly about: ReadonlyArray<string>
}

const command: Tool = { kind: "command", about: ["command", "shell_id", "task_id", "bash_id"] }
const file: Tool = { kind: "file_change", about: ["file_path", "notebook_path"] }
const search: Tool = { kind: "search", about: ["pattern", "query", "path"] }
const web: Tool = { kind: "web", about: ["url", "query"] }
const plan: Tool = { kind: "plan", about: [] }
const subagent: Tool = { kind: "subagent", about: ["description", "subagent_type"] }

const tools: Readonly<Record<string, Tool>> = {
  Bash: command,
  BashOutput: command,
  KillShell: command,
  TaskStop: command,
  Monitor: command,
  Edit: file,
  MultiEdit: file,
  Write: file,
  NotebookEdit: file,
  Read: { kind: "read", about: ["file_path", "notebook_path"] },
  Glob: search,
  Grep: search,
  LS: search,
  ToolSearch: search,
  WebSearch: web,
  WebFetch: web,
  web_search: web,
  web_fetch: web,
  TodoWrite: plan,
  TodoRead: plan,
  EnterPlanMode: plan,
  ExitPlanMode: plan,
  AskUserQuestion: { kind: "question", about: [] },
  Task: subagent,
  Agent: subagent
}

/** Kind and title of one call; a tool without a descriptive input is titled by its name. */
export const describeTool = (name: string, input: unknown): { readonly kind: ToolKind; readonly title: string } => {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name)
  if (mcp !== null) return { kind: "mcp", title: `${mcp[1]}: ${mcp[2]}` }
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (tool === undefined) return { kind: "other", title: name }
  return { kind: tool.kind, title: titleOf(name, input, tool.about) }
}
