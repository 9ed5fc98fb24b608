/** The Schemas of the events of a run; their types, with what each member means, are in `types/AgentEvent.ts`. */
import { Schema } from "effect"
import { AgentRunResult, AgentUsage } from "./AgentRunResult.ts"
import { ErrorCategory } from "./ErrorCategory.ts"
import {
  FileEdit,
  PermissionDecisionEvent,
  PermissionRequestEvent,
  PlanEntry,
  parentToolId,
  QuestionAnswerEvent,
  QuestionEvent,
  ToolKind,
  TurnDoneEvent
} from "./SessionEvent.ts"
import type * as Types from "./types/AgentEvent.ts"

export {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  ToolKind,
  TurnDoneEvent
} from "./SessionEvent.ts"

export const SessionEvent = Schema.Struct({
  type: Schema.tag("session"),
  sessionId: Schema.String,
  model: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  mcpServers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))),
  workingDirectory: Schema.optionalKey(Schema.String),
  cliVersion: Schema.optionalKey(Schema.String),
  permissionMode: Schema.optionalKey(Schema.String),
  outputStyle: Schema.optionalKey(Schema.String),
  authSource: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "SessionEvent" })

export const TextEvent = Schema.Struct({
  type: Schema.tag("text"),
  text: Schema.String,
  parentToolId
}).annotate({ identifier: "TextEvent" })

export const ThinkingEvent = Schema.Struct({
  type: Schema.tag("thinking"),
  text: Schema.String,
  parentToolId
}).annotate({ identifier: "ThinkingEvent" })

export const ToolUseEvent = Schema.Struct({
  type: Schema.tag("tool_use"),
  toolName: Schema.String,
  toolId: Schema.String,
  input: Schema.Unknown,
  kind: Schema.optionalKey(ToolKind),
  title: Schema.optionalKey(Schema.String),
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  parentToolId
}).annotate({ identifier: "ToolUseEvent" })

export const ToolResultEvent = Schema.Struct({
  type: Schema.tag("tool_result"),
  toolId: Schema.String,
  output: Schema.String,
  isError: Schema.Boolean,
  raw: Schema.optionalKey(Schema.Unknown),
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  parentToolId
}).annotate({ identifier: "ToolResultEvent" })

export const PlanEvent = Schema.Struct({
  type: Schema.tag("plan"),
  entries: Schema.optionalKey(Schema.Array(PlanEntry)),
  text: Schema.optionalKey(Schema.String),
  toolId: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "PlanEvent" })

export const NoticeKind = Schema.Literals([
  "retry",
  "rate_limit",
  "model_fallback",
  "permission_denied",
  "mcp_failed",
  "text_voided",
  "malformed_line",
  "oversize_line",
  "stalled",
  "queued",
  "session_reset",
  "budget",
  "progress",
  "info",
  "warning"
])
export type NoticeKind = Types.NoticeKind

export const NoticeEvent = Schema.Struct({
  type: Schema.tag("notice"),
  kind: NoticeKind,
  message: Schema.String,
  data: Schema.optionalKey(
    Schema.StructWithRest(Schema.Struct({ characters: Schema.optionalKey(Schema.Finite) }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  ),
  parentToolId
}).annotate({ identifier: "NoticeEvent" })

export const UsageEvent = Schema.Struct({
  type: Schema.tag("usage"),
  usage: AgentUsage,
  totalCostUsd: Schema.optionalKey(Schema.Finite),
  model: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "UsageEvent" })

export const UnknownEvent = Schema.Struct({
  type: Schema.tag("unknown"),
  raw: Schema.Unknown,
  parentToolId
}).annotate({ identifier: "UnknownEvent" })

export const ErrorEvent = Schema.Struct({
  type: Schema.tag("error"),
  message: Schema.String,
  code: Schema.String,
  category: ErrorCategory,
  retryable: Schema.Boolean,
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  /** What to do about it, for people */
  help: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "ErrorEvent" })

export const DoneEvent = Schema.Struct({
  type: Schema.tag("done"),
  result: AgentRunResult,
  parentToolId
}).annotate({ identifier: "DoneEvent" })

export const AgentEvent = Schema.Union([
  SessionEvent,
  TextEvent,
  ThinkingEvent,
  ToolUseEvent,
  ToolResultEvent,
  PlanEvent,
  NoticeEvent,
  UsageEvent,
  UnknownEvent,
  ErrorEvent,
  PermissionRequestEvent,
  PermissionDecisionEvent,
  QuestionEvent,
  QuestionAnswerEvent,
  TurnDoneEvent,
  DoneEvent
])
  .annotate({ identifier: "AgentEvent" })
  .pipe(Schema.toTaggedUnion("type"))
export type AgentEvent<Output = unknown> = Types.AgentEvent<Output>

export type SessionEvent = Types.SessionEvent
export type TextEvent = Types.TextEvent
export type ThinkingEvent = Types.ThinkingEvent
export type ToolUseEvent = Types.ToolUseEvent
export type ToolResultEvent = Types.ToolResultEvent
export type PlanEvent = Types.PlanEvent
export type NoticeEvent = Types.NoticeEvent
export type UsageEvent = Types.UsageEvent
export type UnknownEvent = Types.UnknownEvent
export type ErrorEvent = Types.ErrorEvent
export type DoneEvent<Output = unknown> = Types.DoneEvent<Output>
