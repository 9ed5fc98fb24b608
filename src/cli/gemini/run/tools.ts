/** Gemini CLI's tools by their names: kind, a one-line title, the files and the to-do list of a call (0.61.0). */
import { Predicate } from "effect"
import type { PlanEvent, ToolKind } from "../../../contract/ToolEvent.ts"
import { titleOf } from "../../../contract/text/toolTitle.ts"
import { type Files, type FileTool, filesIn } from "../../fileTools.ts"
import { planOf } from "../../todoList.ts"

interface Tool {
  readonly kind: ToolKind
  /** The inputs that best describe a call, in order. */
  readonly about: ReadonlyArray<string>
}

const file: Tool = { kind: "file_change", about: ["file_path"] }
const search: Tool = { kind: "search", about: ["pattern", "dir_path"] }
const plan: Tool = { kind: "plan", about: [] }
const task: Tool = { kind: "plan", about: ["title", "id"] }
const resource: Tool = { kind: "mcp", about: ["uri", "server"] }

const tools: Readonly<Record<string, Tool>> = {
  run_shell_command: { kind: "command", about: ["command"] },
  write_file: file,
  replace: file,
  read_file: { kind: "read", about: ["file_path"] },
  read_many_files: { kind: "read", about: [] },
  get_internal_docs: { kind: "read", about: ["path"] },
  glob: search,
  grep_search: search,
  list_directory: search,
  google_web_search: { kind: "web", about: ["query"] },
  web_fetch: { kind: "web", about: ["url", "prompt"] },
  write_todos: plan,
  enter_plan_mode: plan,
  exit_plan_mode: plan,
  tracker_create_task: task,
  tracker_update_task: task,
  tracker_get_task: task,
  tracker_list_tasks: plan,
  tracker_add_dependency: plan,
  tracker_visualize: plan,
  invoke_agent: { kind: "subagent", about: ["agent_name", "prompt"] },
  ask_user: { kind: "question", about: [] },
  read_mcp_resource: resource,
  list_mcp_resources: resource,
  activate_skill: { kind: "other", about: ["name"] },
  update_topic: { kind: "other", about: ["title"] },
  complete_task: { kind: "other", about: [] }
}

const toolNamed = (name: string) => (Object.hasOwn(tools, name) ? tools[name] : undefined)

/** Whether the CLI itself has such a tool, even if this run may not use it. */
export const isBuiltIn = (name: string): boolean => toolNamed(name) !== undefined

/** `mcp_<server>_<tool>` can be cut at any underscore: servers that are known decide, else the first one, as the CLI does. */
const mcpTitle = (name: string, servers: ReadonlyArray<string>) => {
  const rest = name.slice("mcp_".length)
  const known = servers.filter((server) => rest.startsWith(`${server}_`)).sort((a, b) => b.length - a.length)
  const server = known[0] ?? rest.split("_", 1)[0] ?? ""
  return `${server}: ${rest.slice(server.length + 1)}`
}

/** Kind and title of one call; a tool without a descriptive input is titled by its name. */
export const describeTool = (
  name: string,
  input: unknown,
  servers: ReadonlyArray<string>
): { readonly kind: ToolKind; readonly title: string } => {
  if (/^mcp_[^_]+_./.test(name)) return { kind: "mcp", title: mcpTitle(name, servers) }
  const tool = toolNamed(name)
  if (tool === undefined) return { kind: "other", title: name }
  return { kind: tool.kind, title: titleOf(name, input, tool.about) }
}

const directory: FileTool = { path: "dir_path" }
const replaces = { before: "old_string", after: "new_string", everywhere: "allow_multiple" }

/** `read_many_files` has patterns, which name no file. */
const fileTools: Readonly<Record<string, FileTool>> = {
  write_file: { path: "file_path", content: "content" },
  replace: { path: "file_path", replaces },
  read_file: { path: "file_path" },
  glob: directory,
  grep_search: directory,
  list_directory: directory
}

export const filesOf = (name: string, input: unknown): Files =>
  filesIn(Object.hasOwn(fileTools, name) ? fileTools[name] : undefined, input)

export const todosOf = (toolId: string, name: string, input: unknown): ReadonlyArray<PlanEvent> =>
  name === "write_todos" && Predicate.hasProperty(input, "todos") ? planOf(input.todos, "description", { toolId }) : []
