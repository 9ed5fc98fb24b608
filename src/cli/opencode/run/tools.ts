/** OpenCode's tools by their names: kind, a one-line title, the files and the to-do list of a call (1.18.33). */
import { Predicate } from "effect"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { PlanEvent, ToolKind } from "../../../contract/ToolEvent.ts"
import { titleOf } from "../../../contract/text/toolTitle.ts"
import { type Files, type FileTool, filesIn, textIn } from "../../fileTools.ts"
import { planOf } from "../../todoList.ts"

interface Tool {
  readonly kind: ToolKind
  /** The inputs that best describe a call, in order. */
  readonly about: ReadonlyArray<string>
}

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

export interface Description {
  readonly kind: ToolKind
  readonly title: string
}

/** Kind and title of one call; a tool without a descriptive input is titled by its name. */
export const describeTool = (name: string, input: unknown, servers: ReadonlyArray<string> = []): Description => {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (tool === undefined) {
    const server = servers.find((value) => name.startsWith(prefixOf(value)))
    if (server === undefined) return { kind: "other", title: name }
    return { kind: "mcp", title: `${server}: ${name.slice(prefixOf(server).length)}` }
  }
  return { kind: tool.kind, title: titleOf(name, input, tool.about) }
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
  patchTools.has(name)
    ? filesInPatch(textIn(input, "patchText") ?? "")
    : filesIn(Object.hasOwn(fileTools, name) ? fileTools[name] : undefined, input)

export const todosOf = (toolId: string, name: string, input: unknown): ReadonlyArray<PlanEvent> =>
  name === "todowrite" && Predicate.hasProperty(input, "todos") ? planOf(input.todos, "content", { toolId }) : []
