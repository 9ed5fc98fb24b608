/**
 * Codex' `exec --json` for fakes (0.169.0): items that start and complete. Text comes in whole messages, a failure as an
 * `error` line and its copy in `turn.failed`. Only the tools that Codex has can be said.
 */
import { Predicate } from "effect"
import { countOf, type Dialect, defaultUsage, type Lines, type Speaker } from "../dialect.ts"
import type { FailureKind, Fields, ToolEndStep, ToolStartStep } from "../Steps.ts"

type Refuse = (problem: string) => never
const mcpName = /^mcp__(.+?)__(.+)$/

const statusOf = (end: ToolEndStep | undefined) => {
  if (end === undefined) return "in_progress"
  return end.isError ? "failed" : "completed"
}

const field = (input: unknown, name: string): unknown => (Predicate.hasProperty(input, name) ? input[name] : undefined)

/** Codex reports only a status for these. */
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

/** A tool call of a script → the item that Codex prints of it, when it starts and when it has ended (0.169.0). */
const itemOf = (start: ToolStartStep, end: ToolEndStep | undefined, refuse: Refuse): Fields => ({
  id: start.id,
  ...fieldsOf(start, end, refuse)
})

type MessageOf = (message: string | undefined) => string

/** Codex's output for a failing model API (0.169.0): one message, of which only fixed words show the kind. */
const messageOf: { readonly [Kind in FailureKind]?: MessageOf } = {
  auth: (message = "Incorrect API key provided.") => `unexpected status 401 Unauthorized: ${message}`,
  permission: (message = "Permission denied.") => `unexpected status 403 Forbidden: ${message}`,
  billing: (message = "Check your plan and billing details.") => `Quota exceeded. ${message}`,
  rate_limit: (message) =>
    message === undefined
      ? "exceeded retry limit, last status: 429 Too Many Requests"
      : `rate limit exceeded: ${message}`,
  overloaded: (message) =>
    message === undefined
      ? "Selected model is at capacity. Please try a different model."
      : `unexpected status 529 <unknown status code>: ${message}`,
  context_overflow: (message) =>
    message === undefined
      ? "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying."
      : JSON.stringify({ error: { message, type: "invalid_request_error", code: "context_length_exceeded" } }),
  invalid_request: (message = "The prompt is not good.") =>
    JSON.stringify({ error: { message, type: "invalid_request_error", code: "bad_param", param: null } }),
  network: (message = "error sending request") => `stream disconnected before completion: ${message}`,
  other: (message = "something went wrong") => message
}

const speaker: Dialect["speaker"] = ({ sessionId, refuse }): Speaker => {
  let items = 0
  const newId = () => `item_${items++}`
  const text = (type: string, pieces: ReadonlyArray<string>): Lines => [
    { type: "item.completed", item: { id: newId(), type, text: pieces.join("") } }
  ]

  return {
    session: ({ model, fields }) => {
      if (model !== undefined) refuse("it tells no model")
      return [{ type: "thread.started", thread_id: sessionId, ...fields }, { type: "turn.started" }]
    },
    text: (pieces) => text("agent_message", pieces),
    thinking: (pieces) => text("reasoning", pieces),
    newToolId: newId,
    toolStart: (start) => [{ type: "item.started", item: itemOf(start, undefined, refuse) }],
    toolEnd: (start, end) => [{ type: "item.completed", item: itemOf(start, end, refuse) }],
    retry: ({ attempt, maxRetries }) => [
      {
        type: "error",
        message: `Reconnecting... ${attempt}/${maxRetries} (We’re currently experiencing high demand, which may cause temporary errors.)`
      }
    ],
    error: ({ kind, message, retryAfterMs }) => {
      if (retryAfterMs !== undefined) refuse("it does not tell when to try again")
      const words = messageOf[kind]?.(message) ?? refuse(`it knows no ${JSON.stringify(kind)}`)
      const lines = [
        { type: "error", message: words },
        { type: "turn.failed", error: { message: words } }
      ]
      return { lines, exitCode: 1 }
    },
    result: ({ usage = defaultUsage, costUsd, fields }) => {
      if (costUsd !== undefined) refuse("it tells no cost")
      const cached = usage.cacheReadTokens ?? 0
      const counts = {
        ...countOf("input_tokens", usage.inputTokens === undefined ? undefined : usage.inputTokens + cached),
        cached_input_tokens: cached,
        cache_write_input_tokens: usage.cacheWriteTokens ?? 0,
        ...countOf("output_tokens", usage.outputTokens),
        reasoning_output_tokens: 0
      }
      return [{ type: "turn.completed", usage: counts, ...fields }]
    }
  }
}

export const codex: Dialect = {
  name: "Codex",
  sessionId: "33333333-3333-4333-8333-333333333333",
  liveArgument: "app-server",
  sessionArguments: { named: [], resumed: ["resume"], forked: ["fork"] },
  speaker
}
