/**
 * The control lines of a live session, in both directions (2.1.328). Requests of the CLI are decoded in two steps, so
 * that an unknown one can still be refused by its id: the CLI must never be left waiting.
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

export const requestLine = (requestId: string, request: Readonly<Record<string, unknown>>) => ({
  type: "control_request",
  request_id: requestId,
  request
})

export const successLine = (requestId: string, response: unknown) => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response }
})

export const errorLine = (requestId: string, error: string) => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error }
})

/** With a uuid, the CLI reports the lifecycle of the text. */
export const userLine = (uuid: string, content: string) => ({
  type: "user",
  message: { role: "user", content },
  uuid,
  parent_tool_use_id: null,
  session_id: ""
})
