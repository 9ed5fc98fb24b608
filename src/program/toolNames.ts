/** Tool calls as people name them: by what they do, whatever the CLI calls its tool; pure. */
import { labelOf, type ToolFacts, type ToolLabel } from "../bridge/actions/tools.ts"
import type { ToolKind } from "../contract/ToolEvent.ts"

const verbs: { readonly [Kind in ToolKind]?: string } = {
  command: "Run",
  read: "Read",
  search: "Search",
  web: "Fetch"
}

/** Codex says in the title what it does to a file. */
const changed = /^(add|update|delete) (?=\S)/

const changeVerbs: Readonly<Record<string, string>> = { add: "Write", update: "Edit", delete: "Delete" }

/** Also where paths stand in the middle, one behind the other. */
const relative = (title: string, workingDirectory: string | undefined): string => {
  if (workingDirectory === undefined) return title
  const start = `${workingDirectory}/`
  return title
    .split(" ")
    .map((word) => (word.startsWith(start) && word.length > start.length ? word.slice(start.length) : word))
    .join(" ")
}

export const spokenLabel = (facts: ToolFacts, workingDirectory: string | undefined): ToolLabel => {
  const { kind, toolName } = facts
  const { name, title } = labelOf(facts, workingDirectory)
  if (kind === "mcp") {
    const [, server, tool] = /^([^:]+): (.+)$/.exec(name) ?? []
    return server === undefined ? { name, title } : { name: `${tool} of ${server}`, title }
  }
  // The subject is unknown.
  if (title === "") return { name, title }
  if (kind === "subagent") return { name: title, title: "" }
  if (kind === "file_change") {
    const [start = "", verb = ""] = changed.exec(title) ?? []
    const usual = /write|create/i.test(toolName) ? "Write" : "Edit"
    return { name: changeVerbs[verb] ?? usual, title: relative(title.slice(start.length), workingDirectory) }
  }
  const known = verbs[kind]
  return known === undefined ? { name, title } : { name: known, title: relative(title, workingDirectory) }
}
