/** Gemini CLI's tools by their names: kind, a one-line title, the files and the to-do list of a call (0.61.0). */
import type { PlanEvent } from "../../../contract/ToolEvent.ts"
import { at } from "../../jsonFields.ts"
import {
  type Description,
  describeBy,
  type Files,
  type FileTool,
  filesIn,
  planOf,
  type Tool
} from "../../toolInputs.ts"

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

/** Whether the CLI itself has such a tool, even if this run may not use it. */
export const isBuiltIn = (name: string): boolean => Object.hasOwn(tools, name)

/** `mcp_<server>_<tool>` can be cut at any underscore: known servers decide, else the first underscore, as in the CLI. */
const mcpTitle = (name: string, servers: ReadonlyArray<string>) => {
  const rest = name.slice("mcp_".length)
  const known = servers.filter((server) => rest.startsWith(`${server}_`)).sort((a, b) => b.length - a.length)
  const server = known[0] ?? rest.split("_", 1)[0] ?? ""
  return `${server}: ${rest.slice(server.length + 1)}`
}

export const describeTool = (name: string, input: unknown, servers: ReadonlyArray<string>): Description =>
  /^mcp_[^_]+_./.test(name) ? { kind: "mcp", title: mcpTitle(name, servers) } : describeBy(tools, name, input)

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

export const filesOf = (name: string, input: unknown): Files => filesIn(fileTools, name, input)

export const todosOf = (toolId: string, name: string, input: unknown): ReadonlyArray<PlanEvent> =>
  planOf(name === "write_todos" ? at(input, "todos") : undefined, "description", { toolId })
