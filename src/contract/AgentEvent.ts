/**
 * What a caller sees while a run goes on: one union, discriminated by `type`, safe to print as JSON.
 * All `text` events joined, less what `text_voided` notices withdrew, are the result's text.
 */
import { Schema } from "effect"
import { AgentRunResult, AgentUsage } from "./AgentRunResult.ts"
import { ErrorCategory } from "./ErrorCategory.ts"
import {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  parentToolId,
  QuestionAnswerEvent,
  QuestionEvent,
  ToolKind,
  TurnDoneEvent
} from "./SessionEvent.ts"

export {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  ToolKind,
  TurnDoneEvent
} from "./SessionEvent.ts"

/** The CLI's own conversation was opened or resumed. Given once, and again when one of its facts changes. */
export const SessionEvent = Schema.Struct({
  type: Schema.tag("session"),
  /** Opaque name of the session; a later run can resume it */
  sessionId: Schema.String,
  /** The model that answers */
  model: Schema.optionalKey(Schema.String),
  /** Names of the tools that the agent has */
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The MCP servers, with the state of each in the words of the CLI */
  mcpServers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))),
  /** Where the agent works */
  workingDirectory: Schema.optionalKey(Schema.String),
  /** As the CLI says it */
  cliVersion: Schema.optionalKey(Schema.String),
  /** In the words of the CLI */
  permissionMode: Schema.optionalKey(Schema.String),
  /** How the CLI was told to write, in its words */
  outputStyle: Schema.optionalKey(Schema.String),
  /** Where the CLI says its credentials come from */
  authSource: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "SessionEvent" })

/** A piece of the answer. */
export const TextEvent = Schema.Struct({
  type: Schema.tag("text"),
  /** A delta: append it to what came before */
  text: Schema.String,
  parentToolId
}).annotate({ identifier: "TextEvent" })

/** A piece of the model's reasoning; never part of the result's text. */
export const ThinkingEvent = Schema.Struct({
  type: Schema.tag("thinking"),
  /** A delta */
  text: Schema.String,
  parentToolId
}).annotate({ identifier: "ThinkingEvent" })

/** The agent calls a tool. */
export const ToolUseEvent = Schema.Struct({
  type: Schema.tag("tool_use"),
  /** As the CLI names it */
  toolName: Schema.String,
  /** Joins this call to its tool_result */
  toolId: Schema.String,
  /** The tool's arguments, as run */
  input: Schema.Unknown,
  kind: Schema.optionalKey(ToolKind),
  /** One line for people: the command, path, query… */
  title: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "ToolUseEvent" })

/** A tool call ended. */
export const ToolResultEvent = Schema.Struct({
  type: Schema.tag("tool_result"),
  /** Of the `tool_use` that it ends */
  toolId: Schema.String,
  /** What the model was given, as text */
  output: Schema.String,
  /** The call failed, or was denied */
  isError: Schema.Boolean,
  /** The CLI's richer, tool-specific form */
  raw: Schema.optionalKey(Schema.Unknown),
  parentToolId
}).annotate({ identifier: "ToolResultEvent" })

/** Why a notice was given. */
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
  "progress",
  "info",
  "warning"
])
export type NoticeKind = typeof NoticeKind.Type

/** Something worth knowing that neither ends the run nor belongs to the answer. */
export const NoticeEvent = Schema.Struct({
  type: Schema.tag("notice"),
  kind: NoticeKind,
  /** For people */
  message: Schema.String,
  /**
   * Facts by kind. `text_voided` has `characters`: so many of the last main-thread characters are void. `retry` and
   * `rate_limit` have `delayMs`, or `waitUntilMs` (ms of the epoch), where the CLI says how long it waits: so long, an hour
   * at most, it is not silent. A retry that tells no time counts as a wait of 60 s.
   */
  data: Schema.optionalKey(
    Schema.StructWithRest(Schema.Struct({ characters: Schema.optionalKey(Schema.Finite) }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  ),
  parentToolId
}).annotate({ identifier: "NoticeEvent" })

/**
 * What the run has used so far, in a live session the turn; sub-agents where the wire has them. Given at the end of an
 * answer of the model, by CLIs that tell it before the end. Where the CLI's own final sum differs from the last one, the
 * result has that.
 */
export const UsageEvent = Schema.Struct({
  type: Schema.tag("usage"),
  /** The sum so far, not what has come since the event before */
  usage: AgentUsage,
  /** The cost of that; absent where it is not known */
  totalCostUsd: Schema.optionalKey(Schema.Finite),
  /** The model that gave the newest answer */
  model: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "UsageEvent" })

/** A line, block or event of the CLI that this version does not know, kept whole. */
export const UnknownEvent = Schema.Struct({
  type: Schema.tag("unknown"),
  /** The decoded JSON */
  raw: Schema.Unknown,
  parentToolId
}).annotate({ identifier: "UnknownEvent" })

/** The run failed; `done` follows. */
export const ErrorEvent = Schema.Struct({
  type: Schema.tag("error"),
  /** For people */
  message: Schema.String,
  /** Finer than category: the CLI's own code, or the watchdog's state */
  code: Schema.String,
  category: ErrorCategory,
  /** The same run may succeed later, unchanged */
  retryable: Schema.Boolean,
  /** When it makes sense to try again, where that is known */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  parentToolId
}).annotate({ identifier: "ErrorEvent" })

/** The end: exactly one in every run, and the last event. */
export const DoneEvent = Schema.Struct({
  type: Schema.tag("done"),
  /** Of the run, or of the live session */
  result: AgentRunResult,
  parentToolId
}).annotate({ identifier: "DoneEvent" })

export const AgentEvent = Schema.Union([
  SessionEvent,
  TextEvent,
  ThinkingEvent,
  ToolUseEvent,
  ToolResultEvent,
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
export type AgentEvent = typeof AgentEvent.Type

export type SessionEvent = typeof SessionEvent.Type
export type TextEvent = typeof TextEvent.Type
export type ThinkingEvent = typeof ThinkingEvent.Type
export type ToolUseEvent = typeof ToolUseEvent.Type
export type ToolResultEvent = typeof ToolResultEvent.Type
export type NoticeEvent = typeof NoticeEvent.Type
export type UsageEvent = typeof UsageEvent.Type
export type UnknownEvent = typeof UnknownEvent.Type
export type ErrorEvent = typeof ErrorEvent.Type
export type DoneEvent = typeof DoneEvent.Type
