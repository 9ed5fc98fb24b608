/**
 * Wire line → agent events: a pure step over a small state (2.1.328). `assistant` lines are the authority for text and
 * tool calls; deltas only bring text sooner. Notices, retries and the like are in `notices.ts`.
 */
import { Predicate, Result } from "effect"
import type { AgentEvent, SessionEvent } from "../../AgentEvent.ts"
import type { AgentExecuteParams } from "../../AgentExecuteParams.ts"
import type { RunReport, Standing, Verdict } from "../Cli.ts"
import {
  backgroundNotices,
  mcpNotices,
  noticeOf,
  rateLimitNotice,
  unannouncedDenials,
  voidedNotice
} from "./notices.ts"
import { type ApiError, addResult, verdictOf } from "./result.ts"
import * as Streams from "./streams.ts"
import { describeTool } from "./tools.ts"
import * as Wire from "./wire.ts"

export interface State {
  /** The session is older than this run: its running totals say nothing about the run. */
  readonly resumed: boolean
  readonly session: SessionEvent | undefined
  readonly streams: Streams.Streams
  /** Turns begun and turns ended; background work can begin a turn before the result of the one before is told. */
  readonly inits: number
  readonly results: number
  readonly queuedTurns: number
  readonly background: ReadonlyArray<Wire.BackgroundTask>
  /** Background work that has ended and of which the model was not told yet: each may begin a turn. */
  readonly untold: number
  /** Tool calls whose denial was announced. */
  readonly denied: ReadonlySet<string>
  readonly apiError: ApiError | undefined
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

export const start = (params: AgentExecuteParams): State => ({
  resumed: params.sessionId !== undefined,
  session: undefined,
  streams: Streams.empty,
  inits: 0,
  results: 0,
  queuedTurns: 0,
  background: [],
  untold: 0,
  denied: new Set(),
  apiError: undefined,
  report: {},
  verdict: undefined
})

type Step = readonly [State, ReadonlyArray<AgentEvent>]

export const standing = (state: State): Standing => {
  if (state.background.length > 0) return "background"
  if (state.results === 0 || state.results < state.inits) return "working"
  return state.queuedTurns > 0 || state.untold > 0 ? "resting" : "ended"
}

const parent = (id: string | null | undefined) => (id == null ? {} : { parentToolId: id })

const init = (state: State, line: Wire.Init): Step => {
  const session: SessionEvent = {
    type: "session",
    sessionId: line.session_id,
    ...(line.model == null ? {} : { model: line.model }),
    ...(line.tools == null ? {} : { tools: line.tools }),
    ...(line.mcp_servers == null ? {} : { mcpServers: line.mcp_servers }),
    ...(line.cwd == null ? {} : { workingDirectory: line.cwd }),
    ...(line.claude_code_version == null ? {} : { cliVersion: line.claude_code_version }),
    ...(line.permissionMode == null ? {} : { permissionMode: line.permissionMode }),
    ...(line.apiKeySource == null ? {} : { authSource: line.apiKeySource })
  }
  const isNews = JSON.stringify(session) !== JSON.stringify(state.session)
  const report = { ...state.report, sessionId: line.session_id }
  return [
    { ...state, session, report, inits: state.inits + 1, untold: Math.max(0, state.untold - 1) },
    isNews ? [session, ...mcpNotices(session, state.session)] : []
  ]
}

const streamEvent = (state: State, line: Wire.StreamEvent, raw: unknown): Step => {
  const { event, api_message_id: id } = line
  switch (event.type) {
    case "content_block_start":
    case "content_block_delta": {
      const part = event.delta ?? event.content_block
      if (part?.type?.startsWith("thinking")) return delta(state, id, event.index, "thinking", part.thinking)
      if (part?.type?.startsWith("text")) return delta(state, id, event.index, "text", part.text)
      return [state, []]
    }
    case "message_stop": {
      const given = line.abandoned_blocks
      if (given?.api_message_id == null) return [state, []]
      const { streams, voided } = Streams.abandon(state.streams, given.api_message_id, given.from_block_index ?? 0)
      return [{ ...state, streams }, voidedNotice(voided)]
    }
    case "message_start":
    case "message_delta":
    case "content_block_stop":
    case "ping":
      return [state, []]
    default:
      return [state, [{ type: "unknown", raw }]]
  }
}

const delta = (
  state: State,
  id: string | null | undefined,
  index: number | null | undefined,
  type: Streams.StreamedKind,
  text: string | null | undefined
): Step => {
  if (text == null || text === "") return [state, []]
  return [{ ...state, streams: Streams.give(state.streams, id ?? "", index ?? 0, type, text) }, [{ type, text }]]
}

const assistant = (state: State, line: Wire.Assistant): Step => {
  if (line.is_api_error_message === true) {
    const limit = line.api_error_params?.rate_limit_info
    const resetsIn = limit?.resetsAt == null ? undefined : limit.resetsAt * 1000 - Date.parse(line.timestamp ?? "")
    const retryAfterMs = resetsIn === undefined || Number.isNaN(resetsIn) ? undefined : Math.max(0, resetsIn)
    return [{ ...state, apiError: { error: line.error, retryAfterMs } }, []]
  }
  const { content } = line.message
  const blocks = Predicate.isString(content) ? [{ type: "text", text: content }] : content
  return blocks.reduce<Step>(
    ([before, events], raw) => {
      const [after, more] = block(before, line, raw)
      return [after, [...events, ...more]]
    },
    [state, []]
  )
}

const block = (state: State, line: Wire.Assistant, raw: unknown): Step => {
  const nested = parent(line.parent_tool_use_id)
  const decoded = Wire.decodeBlock(raw)
  if (Result.isFailure(decoded))
    return [state, [toolOutcome(raw, undefined, nested) ?? { type: "unknown", raw, ...nested }]]
  const known = decoded.success
  switch (known.type) {
    case "text":
      return whole(state, line, "text", known.text)
    case "thinking":
      return whole(state, line, "thinking", known.thinking)
    case "redacted_thinking":
      return [state, []]
    default: {
      const { id: toolId, name: toolName, input = {} } = known
      return [state, [{ type: "tool_use", toolName, toolId, input, ...describeTool(toolName, input), ...nested }]]
    }
  }
}

/** Sub-agents are never streamed: their text is given as it comes, and counts for nothing. */
const whole = (state: State, line: Wire.Assistant, type: Streams.StreamedKind, text: string): Step => {
  const nested = parent(line.parent_tool_use_id)
  if (line.parent_tool_use_id != null) return [state, text === "" ? [] : [{ type, text, ...nested }]]
  const { streams, voided, missing } = Streams.settle(state.streams, line.message.id ?? "", type, text)
  return [{ ...state, streams }, [...voidedNotice(voided), ...(missing === "" ? [] : [{ type, text: missing }])]]
}

const textOf = (content: unknown): string => {
  if (Predicate.isString(content)) return content
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content)
  return content
    .map((part: unknown) => {
      if (Predicate.hasProperty(part, "text") && Predicate.isString(part.text)) return part.text
      return Predicate.hasProperty(part, "type") ? `[${String(part.type)}]` : JSON.stringify(part)
    })
    .join("\n")
}

const toolOutcome = (
  raw: unknown,
  richer: unknown,
  nested: { readonly parentToolId?: string }
): AgentEvent | undefined => {
  const outcome = Wire.decodeToolOutcome(raw)
  if (Result.isFailure(outcome)) return undefined
  const { tool_use_id: toolId, content, is_error } = outcome.success
  const more = richer ?? (Predicate.isString(content) ? undefined : content)
  return {
    type: "tool_result",
    toolId,
    output: textOf(content),
    isError: is_error === true,
    ...(more === undefined ? {} : { raw: more }),
    ...nested
  }
}

/** Tool results. The texts among them are prompts: the caller's, a sub-agent's, or the CLI's own to the model. */
const user = (state: State, line: Wire.User): Step => {
  const nested = parent(line.parent_tool_use_id)
  const { content } = line.message
  const parts = Predicate.isString(content) ? [{ type: "text", text: content }] : content
  const events = parts.flatMap((part): ReadonlyArray<AgentEvent> => {
    if (Predicate.hasProperty(part, "type") && (part.type === "text" || part.type === "image")) {
      const isOurs = line.isSynthetic === true && line.parent_tool_use_id == null
      return isOurs ? [{ type: "notice", kind: "info", message: `The CLI told the model: ${textOf([part])}` }] : []
    }
    const richer = parts.length === 1 ? line.tool_use_result : undefined
    return [toolOutcome(part, richer, nested) ?? { type: "unknown", raw: part, ...nested }]
  })
  return [state, events]
}

const result = (state: State, line: Wire.RunResult): Step => {
  const report = addResult(state.report, line, state.apiError, state.resumed)
  const verdict = verdictOf(line, state.apiError)
  const untold = verdict._tag === "Success" && state.streams.textLength === 0 ? (line.result ?? "") : ""
  const next: State = {
    ...state,
    report: verdict._tag === "Success" && line.session_id != null ? { ...report, sessionId: line.session_id } : report,
    verdict,
    results: state.results + 1,
    queuedTurns: line.queued_turn_count ?? 0,
    apiError: undefined,
    streams: { ...state.streams, textLength: state.streams.textLength + untold.length }
  }
  const text: ReadonlyArray<AgentEvent> = untold === "" ? [] : [{ type: "text", text: untold }]
  return [next, [...unannouncedDenials(line, state.denied), ...text]]
}

export const step = (state: State, line: Wire.Wire, raw: unknown): Step => {
  switch (line.type) {
    case "stream_event":
      return streamEvent(state, line, raw)
    case "assistant":
      return assistant(state, line)
    case "user":
      return user(state, line)
    case "result":
      return result(state, line)
    case "rate_limit_event":
      return [state, rateLimitNotice(line.rate_limit_info)]
    case "system":
      return system(state, line)
    default:
      return [state, noticeOf(line)]
  }
}

const system = (state: State, line: Wire.SystemLine): Step => {
  switch (line.subtype) {
    case "init":
      return init(state, line)
    case "background_tasks_changed":
      return [{ ...state, background: line.tasks }, backgroundNotices(state.background, line.tasks)]
    case "task_notification": {
      const wasBackground = state.background.some((task) => task.task_id === line.task_id)
      const untold = state.untold + (wasBackground && line.status !== "stopped" ? 1 : 0)
      return [{ ...state, untold }, noticeOf(line)]
    }
    case "permission_denied":
      return [{ ...state, denied: new Set([...state.denied, line.tool_use_id ?? ""]) }, noticeOf(line)]
    default:
      return [state, noticeOf(line)]
  }
}
