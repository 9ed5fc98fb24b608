/** Claude Code's tools by their names: kind, a one-line title, the files and the to-do list of a call (2.1.328). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { at } from "../../jsonFields.ts"
import { type Description, describeBy, type FileTool, filesIn, planOf, type Tool } from "../../toolInputs.ts"

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

export const describeTool = (name: string, input: unknown): Description => {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name)
  return mcp === null ? describeBy(tools, name, input) : { kind: "mcp", title: `${mcp[1]}: ${mcp[2]}` }
}

const file_path = "file_path"
const replaces = { before: "old_string", after: "new_string", everywhere: "replace_all" }

/** A notebook edit changes a cell, which only the input describes. Paths that a command touches are unknown. */
export const fileTools: Readonly<Record<string, FileTool>> = {
  Edit: { path: file_path, replaces },
  MultiEdit: { path: file_path, replaces: { ...replaces, list: "edits" } },
  Write: { path: file_path, content: "content" },
  Read: { path: file_path },
  NotebookEdit: { path: "notebook_path" },
  NotebookRead: { path: "notebook_path" },
  Glob: { path: "path" },
  Grep: { path: "path" },
  LS: { path: "path" }
}

/** The events of a call when it starts. */
export const callEvents = (
  toolId: string,
  toolName: string,
  input: unknown,
  nested: { readonly parentToolId?: string }
): ReadonlyArray<AgentEvent> => {
  const facts = { ...describeTool(toolName, input), ...filesIn(fileTools, toolName, input) }
  const todos = toolName === "TodoWrite" ? at(input, "todos") : undefined
  const plan = planOf(todos, "content", { toolId, ...nested })
  return [{ type: "tool_use", toolName, toolId, input, ...facts, ...nested }, ...plan]
}
