/**
 * The events of a run: one union, discriminated by `type`, safe to print as JSON.
 * The result's text is all `text` events joined, without what `text_voided` notices withdrew.
 */
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

export {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  ToolKind,
  TurnDoneEvent
} from "./SessionEvent.ts"

/** The CLI opened or resumed its session. Emitted once, and again when one of its facts changes. */
export const SessionEvent = Schema.Struct({
  type: Schema.tag("session"),
  /** Opaque id of the session; a later run can resume it */
  sessionId: Schema.String,
  /** The model of the session */
  model: Schema.optionalKey(Schema.String),
  /** Names of the agent's tools */
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The MCP servers, each with its status as the CLI names it */
  mcpServers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))),
  /** Where the agent works */
  workingDirectory: Schema.optionalKey(Schema.String),
  /** Version, as the CLI reports it */
  cliVersion: Schema.optionalKey(Schema.String),
  /** As the CLI names it */
  permissionMode: Schema.optionalKey(Schema.String),
  /** Output style, as the CLI names it */
  outputStyle: Schema.optionalKey(Schema.String),
  /** Source of the credentials, as the CLI reports it */
  authSource: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "SessionEvent" })

/** A piece of the answer. */
export const TextEvent = Schema.Struct({
  type: Schema.tag("text"),
  /** A delta: append it to the text before */
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
  /** Identifies the call; its tool_result has the same id */
  toolId: Schema.String,
  /** Arguments of the call */
  input: Schema.Unknown,
  kind: Schema.optionalKey(ToolKind),
  /** One line for people: the command, path, query… */
  title: Schema.optionalKey(Schema.String),
  /**
   * Absolute paths of files and directories that the call reads or changes, as far as the CLI names them: what a command
   * touches is mostly unknown. At most 1,000, each of at most 4,096 characters
   */
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Changes of files, with their content; absent above 1,000 changes or 1 MiB of text: `input` has them all */
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  parentToolId
}).annotate({ identifier: "ToolUseEvent" })

/** A tool call ended. */
export const ToolResultEvent = Schema.Struct({
  type: Schema.tag("tool_result"),
  /** Id of the `tool_use` that it ends */
  toolId: Schema.String,
  /** Output for the model, as text */
  output: Schema.String,
  /** The call failed, or was denied */
  isError: Schema.Boolean,
  /** The CLI's richer, tool-specific form */
  raw: Schema.optionalKey(Schema.Unknown),
  /** Changes of files that the CLI reports only with the result, as in `tool_use` */
  edits: Schema.optionalKey(Schema.Array(FileEdit)),
  parentToolId
}).annotate({ identifier: "ToolResultEvent" })

/**
 * The agent's plan, each time it states it: its to-do list as `entries`, or a plan in prose as `text`. A call of a tool that
 * states it is a `tool_use`, too, which comes before.
 */
export const PlanEvent = Schema.Struct({
  type: Schema.tag("plan"),
  /** The whole list as it stands, not the difference to the event before. At most 1,000 entries of 4,096 characters */
  entries: Schema.optionalKey(Schema.Array(PlanEntry)),
  /** The plan in prose, such as one that the agent wants to be approved. At most 262,144 characters */
  text: Schema.optionalKey(Schema.String),
  /** The call that states it; if its result is an error, the list before it still stands */
  toolId: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "PlanEvent" })

/** The kind of a notice. */
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

/** Information that neither ends the run nor belongs to the answer. */
export const NoticeEvent = Schema.Struct({
  type: Schema.tag("notice"),
  kind: NoticeKind,
  /** For people */
  message: Schema.String,
  /**
   * Facts by kind. `text_voided` has `characters`: that many of the last characters of the main agent are void. `retry` and
   * `rate_limit` have `delayMs`, or `waitUntilMs` (ms since 1970), where the CLI says how long it waits: during that time,
   * at most an hour, its silence does not time out. A retry without a time counts as a wait of 60 s.
   */
  data: Schema.optionalKey(
    Schema.StructWithRest(Schema.Struct({ characters: Schema.optionalKey(Schema.Finite) }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  ),
  parentToolId
}).annotate({ identifier: "NoticeEvent" })

/**
 * Usage of the run so far, or of the turn in a live session; includes sub-agents where the CLI reports them. Emitted after
 * an answer of the model, by CLIs that report it before the end. If the CLI's final sum differs from the last one, the
 * result has the final sum.
 */
export const UsageEvent = Schema.Struct({
  type: Schema.tag("usage"),
  /** The sum so far, not the difference to the event before */
  usage: AgentUsage,
  /** Cost of that usage; absent where it is unknown */
  totalCostUsd: Schema.optionalKey(Schema.Finite),
  /** Model of the latest answer */
  model: Schema.optionalKey(Schema.String),
  parentToolId
}).annotate({ identifier: "UsageEvent" })

/** A line, block or event of the CLI that this version does not know, kept in full. */
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
  /** More specific than the category: the CLI's own code, or the state that timed out */
  code: Schema.String,
  category: ErrorCategory,
  /** The same run may succeed if it is tried again */
  retryable: Schema.Boolean,
  /** Time after which a retry makes sense, where it is known */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  parentToolId
}).annotate({ identifier: "ErrorEvent" })

/** The last event of every run; there is exactly one. */
export const DoneEvent = Schema.Struct({
  type: Schema.tag("done"),
  /** Result of the run, or of the live session */
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
/** `Output`: the type of the answer, by the `outputSchema` of the run or turn. */
export type AgentEvent<Output = unknown> =
  | Exclude<typeof AgentEvent.Type, { readonly type: "done" | "turn_done" }>
  | TurnDoneEvent<Output>
  | DoneEvent<Output>

export type SessionEvent = typeof SessionEvent.Type
export type TextEvent = typeof TextEvent.Type
export type ThinkingEvent = typeof ThinkingEvent.Type
export type ToolUseEvent = typeof ToolUseEvent.Type
export type ToolResultEvent = typeof ToolResultEvent.Type
export type PlanEvent = typeof PlanEvent.Type
export type NoticeEvent = typeof NoticeEvent.Type
export type UsageEvent = typeof UsageEvent.Type
export type UnknownEvent = typeof UnknownEvent.Type
export type ErrorEvent = typeof ErrorEvent.Type
export type DoneEvent<Output = unknown> = Omit<typeof DoneEvent.Type, "result"> & {
  readonly result: AgentRunResult<Output>
}
