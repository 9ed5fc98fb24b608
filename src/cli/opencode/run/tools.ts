/** OpenCode's tools by their names: kind, a one-line title, the files and the to-do list of a call (1.18.33). */
import { Predicate } from "effect"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { PlanEvent, ToolResultEvent } from "../../../contract/ToolEvent.ts"
import { at } from "../../jsonFields.ts"
import {
  type Description,
  describeBy,
  type Files,
  type FileTool,
  filesIn,
  planOf,
  type Tool,
  textIn
} from "../../toolInputs.ts"

const file: Tool = { kind: "file_change", about: ["filePath"] }
const search: Tool = { kind: "search", about: ["pattern", "query", "path"] }
const plan: Tool = { kind: "plan", about: [] }

const tools: Readonly<Record<string, Tool>> = {
  bash: { kind: "command", about: ["command"] },
  edit: file,
  write: file,
  multiedit: file,
  patch: file,
  apply_patch: file,
  read: { kind: "read", about: ["filePath"] },
  glob: search,
  grep: search,
  list: search,
  codesearch: search,
  lsp: search,
  webfetch: { kind: "web", about: ["url"] },
  websearch: { kind: "web", about: ["query"] },
  todowrite: plan,
  todoread: plan,
  plan_enter: plan,
  plan_exit: plan,
  question: { kind: "question", about: [] },
  task: { kind: "subagent", about: ["description", "subagent_type"] },
  skill: { kind: "other", about: ["name"] }
}

/** Called `<server>_<tool>`; the servers of the CLI's own configuration are unknown. */
export const mcpServersOf = ({ mcpServers = {} }: Pick<AgentExecuteParams, "mcpServers">): ReadonlyArray<string> =>
  Object.keys(mcpServers)

/** OpenCode replaces characters other than letters, digits, `_` and `-` in the name of a server. */
const prefixOf = (server: string) => `${server.replace(/[^\w-]/g, "_")}_`

export const describeTool = (name: string, input: unknown, servers: ReadonlyArray<string> = []): Description => {
  const server = Object.hasOwn(tools, name) ? undefined : servers.find((value) => name.startsWith(prefixOf(value)))
  if (server === undefined) return describeBy(tools, name, input)
  return { kind: "mcp", title: `${server}: ${name.slice(prefixOf(server).length)}` }
}

const filePath = "filePath"
const place: FileTool = { path: "path" }
const replaces = { before: "oldString", after: "newString", everywhere: "replaceAll" }

const fileTools: Readonly<Record<string, FileTool>> = {
  edit: { path: filePath, replaces },
  multiedit: { path: filePath, replaces: { ...replaces, list: "edits" } },
  write: { path: filePath, content: "content" },
  read: { path: filePath },
  lsp: { path: filePath },
  glob: place,
  grep: place,
  list: place
}

const patchTools: ReadonlySet<string> = new Set(["patch", "apply_patch"])
const patchHeader = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** The files that the headers of a patch name. */
const filesInPatch = (patch: string): Files => {
  const paths = [...new Set([...patch.matchAll(patchHeader)].map(([, path = ""]) => path.trim()))]
  return paths.length === 0 ? {} : { paths }
}

export const filesOf = (name: string, input: unknown): Files =>
  patchTools.has(name) ? filesInPatch(textIn(input, "patchText") ?? "") : filesIn(fileTools, name, input)

/** A command that fails is "completed"; one that times out has null as its exit code. */
export const hasFailed = (name: string, metadata: unknown): boolean =>
  name === "bash" && Predicate.hasProperty(metadata, "exit") && metadata.exit !== 0

export const exitOf = (name: string, metadata: unknown): Pick<ToolResultEvent, "exitCode"> => {
  const exitCode = name === "bash" ? at(metadata, "exit") : undefined
  return Predicate.isNumber(exitCode) ? { exitCode } : {}
}

export const todosOf = (toolId: string, name: string, input: unknown): ReadonlyArray<PlanEvent> =>
  planOf(name === "todowrite" ? at(input, "todos") : undefined, "content", { toolId })
