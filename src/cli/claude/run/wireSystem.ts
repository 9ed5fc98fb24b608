/**
 * The `system` lines of Claude Code, distinguished by `subtype` (2.1.328); their meaning is in `notices.ts` and `../events.ts`.
 * An unknown `subtype` becomes an `unknown` event; one that is added here needs a case in `noticeOf`, or it is dropped.
 */
import { Schema } from "effect"
import { number, optional, text, typed } from "../../wireDecoder.ts"

const system = <const Subtype extends string, Fields extends Schema.Struct.Fields>(subtype: Subtype, fields: Fields) =>
  typed("system", { subtype: Schema.Literal(subtype), ...fields })

export const Init = system("init", {
  session_id: Schema.String,
  cwd: text,
  tools: optional(Schema.Array(Schema.String)),
  mcp_servers: optional(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))),
  model: text,
  permissionMode: text,
  output_style: text,
  apiKeySource: text,
  claude_code_version: text
})

const ApiRetry = system("api_retry", {
  attempt: number,
  max_retries: number,
  retry_delay_ms: number,
  error_status: number,
  error: text
})

const ModelFallback = system("model_fallback", {
  trigger: text,
  original_model: text,
  fallback_model: text,
  content: text
})

const PermissionDenied = system("permission_denied", {
  tool_name: text,
  tool_use_id: text,
  message: text,
  decision_reason: text,
  agent_id: text
})

const Informational = typed("system", {
  subtype: Schema.Literals(["informational", "model_refusal_no_fallback"]),
  content: text,
  level: text
})

const TaskNotification = system("task_notification", {
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
const BackgroundTasks = system("background_tasks_changed", { tasks: Schema.Array(BackgroundTask) })

const CompactBoundary = system("compact_boundary", {
  compact_metadata: optional(Schema.Struct({ trigger: text, pre_tokens: number, post_tokens: number }))
})

/** A sign of life; where the permission mode has changed, it names the new one. `status`: the work that begins. */
export const Status = system("status", { permissionMode: text, status: text })

/** A hook of the settings runs; its outcome shows in what it changes. */
const Hook = typed("system", { subtype: Schema.Literals(["hook_started", "hook_response"]), hook_id: text })

/** Signs of life with nothing in them for a caller. */
const Silent = typed("system", {
  subtype: Schema.Literals([
    "thinking_tokens",
    "task_started",
    "task_progress",
    "task_updated",
    "hook_progress",
    "session_title_changed",
    "ui_invalidate"
  ])
})

export const SystemLines = [
  Init,
  ApiRetry,
  ModelFallback,
  PermissionDenied,
  Informational,
  TaskNotification,
  Status,
  BackgroundTasks,
  CompactBoundary,
  Hook,
  Silent
] as const

export type Init = typeof Init.Type
export type SystemLine = (typeof SystemLines)[number]["Type"]
