/**
 * What Claude Code prints with `--output-format stream-json`, one JSON object a line (2.1.328).
 * Lenient: only the fields in use, any of them may be null. What fits no member is kept whole as an `unknown` event.
 */
import { Schema } from "effect"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = optional(Schema.String)
const number = optional(Schema.Finite)
const flag = optional(Schema.Boolean)

const RateLimitInfo = Schema.Struct({ status: text, resetsAt: number, rateLimitType: text, utilization: number })

const Init = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("init"),
  session_id: Schema.String,
  cwd: text,
  tools: optional(Schema.Array(Schema.String)),
  mcp_servers: optional(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))),
  model: text,
  permissionMode: text,
  apiKeySource: text,
  claude_code_version: text
})

const ApiRetry = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("api_retry"),
  attempt: number,
  max_retries: number,
  retry_delay_ms: number,
  error_status: number,
  error: text
})

const ModelFallback = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("model_fallback"),
  trigger: text,
  original_model: text,
  fallback_model: text,
  content: text
})

const PermissionDenied = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("permission_denied"),
  tool_name: text,
  tool_use_id: text,
  message: text,
  decision_reason: text,
  agent_id: text
})

const Informational = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literals(["informational", "model_refusal_no_fallback"]),
  content: text,
  level: text
})

const TaskNotification = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("task_notification"),
  task_id: text,
  tool_use_id: text,
  task_type: text,
  description: text,
  status: text,
  summary: text,
  /** Empty for a tool call that only took long in the foreground. */
  output_file: text
})

const BackgroundTask = Schema.Struct({ task_id: text, task_type: text, description: text })
export type BackgroundTask = typeof BackgroundTask.Type

const BackgroundTasks = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("background_tasks_changed"),
  tasks: Schema.Array(BackgroundTask)
})

const CompactBoundary = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("compact_boundary"),
  compact_metadata: optional(Schema.Struct({ trigger: text, pre_tokens: number, post_tokens: number }))
})

/** Signs of life with nothing in them for a caller; a hook's outcome shows in what it changes. */
const Silent = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literals([
    "status",
    "thinking_tokens",
    "task_started",
    "task_progress",
    "task_updated",
    "hook_started",
    "hook_progress",
    "hook_response",
    "session_title_changed",
    "ui_invalidate"
  ])
})

const SilentLine = Schema.Struct({
  type: Schema.Literals(["command_lifecycle", "keep_alive", "conversation_reset"])
})

const ToolProgress = Schema.Struct({
  type: Schema.Literal("tool_progress"),
  /** The running call itself, not a mark of nesting. */
  parent_tool_use_id: text,
  tool_name: text,
  elapsed_time_seconds: number
})

const RateLimit = Schema.Struct({ type: Schema.Literal("rate_limit_event"), rate_limit_info: optional(RateLimitInfo) })

/** One line a finished content block. `content` is decoded block by block, so that one unknown block hides no other. */
const Assistant = Schema.Struct({
  type: Schema.Literal("assistant"),
  message: Schema.Struct({
    id: text,
    model: text,
    content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)])
  }),
  parent_tool_use_id: text,
  timestamp: text,
  error: text,
  is_api_error_message: flag,
  api_error_params: optional(Schema.Struct({ rate_limit_info: optional(RateLimitInfo) }))
})

const User = Schema.Struct({
  type: Schema.Literal("user"),
  message: Schema.Struct({ content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]) }),
  parent_tool_use_id: text,
  tool_use_result: Schema.optionalKey(Schema.Unknown),
  isSynthetic: flag
})

const StreamEvent = Schema.Struct({
  type: Schema.Literal("stream_event"),
  event: Schema.Struct({
    type: Schema.String,
    index: number,
    message: optional(Schema.Struct({ id: text })),
    content_block: optional(Schema.Struct({ type: Schema.String, text: text, thinking: text })),
    delta: optional(Schema.Struct({ type: text, text: text, thinking: text }))
  }),
  api_message_id: text,
  /** On `message_stop` of a stream that was given up: all blocks from this index on are void. */
  abandoned_blocks: optional(Schema.Struct({ api_message_id: text, from_block_index: number }))
})

const Counts = Schema.Struct({
  inputTokens: number,
  outputTokens: number,
  cacheReadInputTokens: number,
  cacheCreationInputTokens: number,
  costUSD: number
})

const RunResult = Schema.Struct({
  type: Schema.Literal("result"),
  subtype: text,
  /** Also true with subtype "success": so the API's failures are told. */
  is_error: flag,
  terminal_reason: text,
  session_id: text,
  result: text,
  errors: optional(Schema.Array(Schema.Unknown)),
  api_error_status: number,
  api_error_type: text,
  api_error: text,
  stop_reason: text,
  num_turns: number,
  /** Of the whole session, like `total_cost_usd`. */
  duration_api_ms: number,
  total_cost_usd: number,
  usage: optional(
    Schema.Struct({
      input_tokens: number,
      output_tokens: number,
      cache_read_input_tokens: number,
      cache_creation_input_tokens: number
    })
  ),
  /** What is new since the result before, sub-agents included. */
  model_usage_since_last_result: optional(Schema.Record(Schema.String, Counts)),
  permission_denials: optional(
    Schema.Array(Schema.Struct({ tool_name: text, tool_use_id: text, tool_input: Schema.optionalKey(Schema.Unknown) }))
  ),
  structured_output: Schema.optionalKey(Schema.Unknown),
  queued_turn_count: number
})

const System = [
  Init,
  ApiRetry,
  ModelFallback,
  PermissionDenied,
  Informational,
  TaskNotification,
  BackgroundTasks,
  CompactBoundary,
  Silent
] as const

export const Wire = Schema.Union([
  StreamEvent,
  Assistant,
  User,
  RunResult,
  ToolProgress,
  RateLimit,
  SilentLine,
  ...System
])
export type Wire = typeof Wire.Type
export type Init = typeof Init.Type
export type Assistant = typeof Assistant.Type
export type User = typeof User.Type
export type StreamEvent = typeof StreamEvent.Type
export type RunResult = typeof RunResult.Type
export type RateLimitInfo = typeof RateLimitInfo.Type
export type SystemLine = (typeof System)[number]["Type"]

export const decodeWire = Schema.decodeUnknownResult(Wire)

/** A content block of an `assistant` line. */
const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking") }),
  Schema.Struct({
    type: Schema.Literals(["tool_use", "server_tool_use"]),
    id: Schema.String,
    name: Schema.String,
    input: Schema.optionalKey(Schema.Unknown)
  })
])
export type Block = typeof Block.Type
export const decodeBlock = Schema.decodeUnknownResult(Block)

/** The outcome of a tool call: in a `user` line, or in an `assistant` line for tools the API itself runs. */
const ToolOutcome = Schema.Struct({
  tool_use_id: Schema.String,
  content: Schema.optionalKey(Schema.Unknown),
  is_error: flag
})
export type ToolOutcome = typeof ToolOutcome.Type
export const decodeToolOutcome = Schema.decodeUnknownResult(ToolOutcome)
