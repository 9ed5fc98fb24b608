/** A tool call of a script → the item that Codex prints of it, when it starts and when it has ended (0.169.0). */
import { Predicate } from "effect"
import type { Fields, ToolEndStep, ToolStartStep } from "../Steps.ts"

type Refuse = (problem: string) => never

const mcpName = /^mcp__(.+?)__(.+)$/

const statusOf = (end: ToolEndStep | undefined) => {
  if (end === undefined) return "in_progress"
  return end.isError ? "failed" : "completed"
}

const field = (input: unknown, name: string): unknown => (Predicate.hasProperty(input, name) ? input[name] : undefined)

/** Codex tells the outcome of these by nothing but their status. */
const withoutOutput = (name: string, end: ToolEndStep | undefined, refuse: Refuse) => {
  if (end !== undefined && end.output !== "") refuse(`it prints no output of a ${name}`)
}

const mcpItem = (server: string, tool: string, input: unknown, end: ToolEndStep | undefined): Fields => ({
  type: "mcp_tool_call",
  server,
  tool,
  arguments: input,
  result: end === undefined ? null : { content: [{ type: "text", text: end.output }], structured_content: null },
  error: null,
  status: statusOf(end)
})

const fieldsOf = ({ name, input }: ToolStartStep, end: ToolEndStep | undefined, refuse: Refuse): Fields => {
  if (name === "command_execution") {
    const command = field(input, "command")
    if (typeof command !== "string") return refuse("the input of a command_execution is { command: a text }")
    const exitCode = end === undefined ? null : end.isError ? 1 : 0
    return { type: name, command, aggregated_output: end?.output ?? "", exit_code: exitCode, status: statusOf(end) }
  }
  if (name === "file_change") {
    withoutOutput(name, end, refuse)
    const changes = field(input, "changes")
    if (!Array.isArray(changes)) return refuse("the input of a file_change is { changes: [{ path, kind }] }")
    return { type: name, changes, status: statusOf(end) }
  }
  if (name === "web_search") {
    withoutOutput(name, end, refuse)
    if (end?.isError === true) refuse("its web_search does not fail")
    const query = field(input, "query")
    if (typeof query !== "string") return refuse("the input of a web_search is { query: a text }")
    return { type: name, query, action: { type: "search", query, queries: [query] } }
  }
  const [, server, tool] = mcpName.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return mcpItem(server, tool, input, end)
  return refuse(
    `it has no tool ${JSON.stringify(name)}, only command_execution, file_change, web_search and mcp__<server>__<tool>`
  )
}

export const itemOf = (start: ToolStartStep, end: ToolEndStep | undefined, refuse: Refuse): Fields => ({
  id: start.id,
  ...fieldsOf(start, end, refuse)
})
