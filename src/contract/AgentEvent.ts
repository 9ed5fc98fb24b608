/** The events of a run: one union, discriminated by `type`, safe to print as JSON. */
import { Schema } from "effect"
import { AgentRunResult, AgentUsage } from "./AgentRunResult.ts"
import { ErrorCategory } from "./ErrorCategory.ts"
import {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  TurnDoneEvent
} from "./SessionEvent.ts"
import { schemaOf } from "./schemaOf.ts"
import { type EventParts, eventOf, PlanEvent, ToolResultEvent, ToolUseEvent } from "./ToolEvent.ts"

export {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  TurnDoneEvent
} from "./SessionEvent.ts"
export { PlanEvent, ToolKind, ToolResultEvent, ToolUseEvent } from "./ToolEvent.ts"

/** An MCP server of the agent. */
export interface McpServerStatus {
  /** Its name in the agent's configuration */
  readonly name: string
  /** As the CLI names it */
  readonly status: string
}

/** The CLI opened or resumed its session. Emitted once, and again when one of its facts changes. */
export interface SessionEvent extends EventParts {
  readonly type: "session"
  /** Opaque id of the session; a later run can resume it */
  readonly sessionId: string
  /** The model of the session */
  readonly model?: string
  /** Names of the agent's tools */
  readonly tools?: ReadonlyArray<string>
  /** The MCP servers, each with its status as the CLI names it */
  readonly mcpServers?: ReadonlyArray<McpServerStatus>
  /** Where the agent works */
  readonly workingDirectory?: string
  /** Version, as the CLI reports it */
  readonly cliVersion?: string
  /** As the CLI names it */
  readonly permissionMode?: string
  /** Output style, as the CLI names it */
  readonly outputStyle?: string
  /** Source of the credentials, as the CLI reports it */
  readonly authSource?: string
}

export const SessionEvent = schemaOf<SessionEvent>()(
  eventOf("SessionEvent", "session", {
    sessionId: Schema.String,
    model: Schema.optionalKey(Schema.String),
    tools: Schema.optionalKey(Schema.Array(Schema.String)),
    mcpServers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))),
    workingDirectory: Schema.optionalKey(Schema.String),
    cliVersion: Schema.optionalKey(Schema.String),
    permissionMode: Schema.optionalKey(Schema.String),
    outputStyle: Schema.optionalKey(Schema.String),
    authSource: Schema.optionalKey(Schema.String)
  })
)

/** A piece of the answer. */
export interface TextEvent extends EventParts {
  readonly type: "text"
  /** A delta: append it to the text before */
  readonly text: string
}

export const TextEvent = schemaOf<TextEvent>()(eventOf("TextEvent", "text", { text: Schema.String }))

/** A piece of the model's reasoning; never part of the result's text. */
export interface ThinkingEvent extends EventParts {
  readonly type: "thinking"
  /** A delta */
  readonly text: string
}

export const ThinkingEvent = schemaOf<ThinkingEvent>()(eventOf("ThinkingEvent", "thinking", { text: Schema.String }))

/** The kind of a notice. */
export type NoticeKind =
  | "retry"
  | "rate_limit"
  | "model_fallback"
  | "permission_denied"
  | "mcp_failed"
  | "text_voided"
  | "malformed_line"
  | "oversize_line"
  | "stalled"
  | "result_missing"
  | "queued"
  | "session_reset"
  | "budget"
  | "progress"
  | "info"
  | "warning"

export const NoticeKind = schemaOf<NoticeKind>()(
  Schema.Literals([
    "retry",
    "rate_limit",
    "model_fallback",
    "permission_denied",
    "mcp_failed",
    "text_voided",
    "malformed_line",
    "oversize_line",
    "stalled",
    "result_missing",
    "queued",
    "session_reset",
    "budget",
    "progress",
    "info",
    "warning"
  ])
)

/** Facts of a notice, by its kind. */
export interface NoticeData {
  /** For `text_voided`: number of the last characters of the main agent that are void. */
  readonly characters?: number
  readonly [fact: string]: unknown
}

/** Information that neither ends the run nor belongs to the answer. */
export interface NoticeEvent extends EventParts {
  readonly type: "notice"
  /** The subject of the notice */
  readonly kind: NoticeKind
  /** For people */
  readonly message: string
  /**
   * Facts by kind. `text_voided` has `characters`, the number of the last characters of the main agent that are void. `retry` and
   * `rate_limit` have `delayMs`, or `waitUntilMs` (ms since 1970), where the CLI says how long it waits: during that time,
   * at most an hour, its silence does not time out. A retry without a time counts as a wait of 60 s.
   */
  readonly data?: NoticeData
}

export const NoticeEvent = schemaOf<NoticeEvent>()(
  eventOf("NoticeEvent", "notice", {
    kind: NoticeKind,
    message: Schema.String,
    data: Schema.optionalKey(
      Schema.StructWithRest(Schema.Struct({ characters: Schema.optionalKey(Schema.Finite) }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ])
    )
  })
)

/**
 * Usage of the run so far, or of the turn of a live session, with sub-agents where the CLI reports them. Emitted after
 * an answer of the model by CLIs that report it before the end; the final sum of the result may differ.
 */
export interface UsageEvent extends EventParts {
  readonly type: "usage"
  /** The sum so far, not the difference to the event before */
  readonly usage: AgentUsage
  /** Cost of that usage in US dollars; absent where it is unknown */
  readonly totalCostUsd?: number
  /** Model of the latest answer */
  readonly model?: string
}

export const UsageEvent = schemaOf<UsageEvent>()(
  eventOf("UsageEvent", "usage", {
    usage: AgentUsage,
    totalCostUsd: Schema.optionalKey(Schema.Finite),
    model: Schema.optionalKey(Schema.String)
  })
)

/** A line, block or event of the CLI that this version does not know, kept in full. */
export interface UnknownEvent extends EventParts {
  readonly type: "unknown"
  /** The decoded JSON */
  readonly raw: unknown
}

export const UnknownEvent = schemaOf<UnknownEvent>()(eventOf("UnknownEvent", "unknown", { raw: Schema.Unknown }))

/** The run failed; `done` follows. */
export interface ErrorEvent extends EventParts {
  readonly type: "error"
  /** For people */
  readonly message: string
  /** More specific than the category: the CLI's own code, or the state that timed out */
  readonly code: string
  /** The category of the error, the same for every CLI */
  readonly category: ErrorCategory
  /** The same run may succeed if it is tried again */
  readonly retryable: boolean
  /** Time after which a retry makes sense, where it is known */
  readonly retryAfterMs?: number
  /** The same as an ISO time in UTC: the end of the limit, at most 8 days ahead */
  readonly retryAt?: string
  /** The remedy, for people */
  readonly help?: string
}

export const ErrorEvent = schemaOf<ErrorEvent>()(
  eventOf("ErrorEvent", "error", {
    message: Schema.String,
    code: Schema.String,
    category: ErrorCategory,
    retryable: Schema.Boolean,
    retryAfterMs: Schema.optionalKey(Schema.Finite),
    retryAt: Schema.optionalKey(Schema.String),
    help: Schema.optionalKey(Schema.String)
  })
)

/** The last event of every run; there is exactly one. */
export interface DoneEvent<Output = unknown> extends EventParts {
  readonly type: "done"
  /** Result of the run, or of the live session */
  readonly result: AgentRunResult<Output>
}

export const DoneEvent = schemaOf<DoneEvent>()(eventOf("DoneEvent", "done", { result: AgentRunResult }))

/** One event of a run or a live session; `type` tells them apart. `Output`: the type of the answer, by its `outputSchema`. */
export type AgentEvent<Output = unknown> =
  | SessionEvent
  | TextEvent
  | ThinkingEvent
  | ToolUseEvent
  | ToolResultEvent
  | PlanEvent
  | NoticeEvent
  | UsageEvent
  | UnknownEvent
  | ErrorEvent
  | PermissionRequestEvent
  | PermissionDecisionEvent
  | QuestionEvent
  | QuestionAnswerEvent
  | TurnDoneEvent<Output>
  | DoneEvent<Output>

export const AgentEvent = schemaOf<AgentEvent>()(
  Schema.Union([
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
  ]).annotate({ identifier: "AgentEvent" })
).pipe(Schema.toTaggedUnion("type"))
