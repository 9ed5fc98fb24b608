/** Kind of OpenCode's tools by their names, and a one-line title for each call (1.18.33). */
import type { ToolKind } from "../../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import { titleOf } from "../../title.ts"

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

/** OpenCode replaces what is no letter, digit, `_` or `-` in the name of a server. */
const prefixOf = (server: string) => `${server.replace(/[^\w-]/g, "_")}_`

export interface Description {
  readonly kind: ToolKind
  readonly title: string
}

/** Kind and title of one call; a tool without a descriptive input is titled by its name. */
export const describeTool = (name: string, input: unknown, servers: ReadonlyArray<string> = []): Description => {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (tool === undefined) {
    const server = servers.find((given) => name.startsWith(prefixOf(given)))
    if (server === undefined) return { kind: "other", title: name }
    return { kind: "mcp", title: `${server}: ${name.slice(prefixOf(server).length)}` }
  }
  return { kind: tool.kind, title: titleOf(name, input, tool.about) }
}
