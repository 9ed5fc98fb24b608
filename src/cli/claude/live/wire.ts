/**
 * The control lines of Claude Code in a live session (2.1.328). Its requests are decoded in two steps, so that an unknown
 * one can still be refused by its id: the CLI must never be left waiting.
 */
import { Schema } from "effect"
import { decodeLeniently, wireDecoder } from "../../wireDecoder.ts"
import { optional, text } from "../run/wireSystem.ts"

const ControlRequest = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: Schema.optionalKey(Schema.Unknown)
})

const ControlResponse = Schema.Struct({
  type: Schema.Literal("control_response"),
  response: Schema.Struct({
    subtype: text,
    request_id: Schema.String,
    response: optional(Schema.Struct({ still_queued: optional(Schema.Array(Schema.String)) })),
    error: text,
    error_code: text
  })
})
export type ControlResponse = typeof ControlResponse.Type

const ControlCancel = Schema.Struct({ type: Schema.Literal("control_cancel_request"), request_id: Schema.String })

export const decodeControl = decodeLeniently(
  wireDecoder(Schema.Union([ControlRequest, ControlResponse, ControlCancel]))
)

const CanUseTool = Schema.Struct({
  subtype: Schema.Literal("can_use_tool"),
  tool_name: Schema.String,
  input: Schema.optionalKey(Schema.Unknown),
  tool_use_id: text,
  decision_reason: text,
  decision_reason_type: text,
  blocked_path: text,
  permission_suggestions: optional(Schema.Array(Schema.Unknown)),
  agent_id: text
})
export type CanUseTool = typeof CanUseTool.Type

const HookCallback = Schema.Struct({
  subtype: Schema.Literal("hook_callback"),
  callback_id: Schema.String,
  input: Schema.optionalKey(Schema.Unknown),
  tool_use_id: text
})
export type HookCallback = typeof HookCallback.Type

const McpMessage = Schema.Struct({
  subtype: Schema.Literal("mcp_message"),
  server_name: Schema.String,
  message: Schema.Unknown
})
export type McpMessage = typeof McpMessage.Type

export const decodeRequest = decodeLeniently(wireDecoder(Schema.Union([CanUseTool, HookCallback, McpMessage])))

/** One of `permission_suggestions`; other kinds are not read. */
const AddRules = Schema.Struct({
  type: Schema.Literal("addRules"),
  behavior: Schema.Literal("allow"),
  rules: Schema.Array(Schema.Struct({ toolName: Schema.String, ruleContent: text }))
})

export const decodeSuggestion = decodeLeniently(wireDecoder(AddRules))
