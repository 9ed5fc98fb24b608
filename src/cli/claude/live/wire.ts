/** The control lines of a live session (2.1.328). Requests are decoded in two steps, to refuse unknown ones by id. */
import { Schema } from "effect"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { hostServer } from "../../../contract/HostTool.ts"
import { present } from "../../jsonFields.ts"
import { anything, decodeLeniently, optional, text, typed, wireDecoder } from "../../wireDecoder.ts"

const ControlRequest = typed("control_request", { request_id: Schema.String, request: anything })

const ControlResponse = typed("control_response", {
  response: Schema.Struct({
    subtype: text,
    request_id: Schema.String,
    response: optional(Schema.Struct({ still_queued: optional(Schema.Array(Schema.String)) })),
    error: text,
    error_code: text
  })
})
export type ControlResponse = typeof ControlResponse.Type
const ControlCancel = typed("control_cancel_request", { request_id: Schema.String })

export const decodeControl = decodeLeniently(
  wireDecoder(Schema.Union([ControlRequest, ControlResponse, ControlCancel]))
)

const CanUseTool = Schema.Struct({
  subtype: Schema.Literal("can_use_tool"),
  tool_name: Schema.String,
  input: anything,
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
  input: anything,
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
const AddRules = typed("addRules", {
  behavior: Schema.Literal("allow"),
  rules: Schema.Array(Schema.Struct({ toolName: Schema.String, ruleContent: text }))
})

export const decodeSuggestion = decodeLeniently(wireDecoder(AddRules))

/** Not the index of a hook. */
export const rulesCallback = "rules"

/** Claude Code does some things without asking, such as reading a file, so rules that deny are checked in a hook. */
export const hasDenials = ({ approvals = [] }: AgentOpenParams) => approvals.some(({ _tag }) => _tag === "Deny")

/** Each hook is called back by its index in the params. */
const hooksOf = (hooks: NonNullable<AgentOpenParams["hooks"]>) => {
  const byEvent: Record<string, Array<unknown>> = {}
  for (const [place, { event, matcher }] of hooks.entries()) {
    byEvent[event] ??= []
    byEvent[event].push({ ...present({ matcher }), hookCallbackIds: [`${place}`] })
  }
  return byEvent
}

/** The first request: the functions of the host that Claude Code can call. */
export const handshake = (params: AgentOpenParams) => {
  const { hooks = [], tools = [] } = params
  const { PreToolUse = [], ...byEvent } = hooksOf(hooks)
  const before = [...(hasDenials(params) ? [{ hookCallbackIds: [rulesCallback] }] : []), ...PreToolUse]
  const all = before.length === 0 ? byEvent : { ...byEvent, PreToolUse: before }
  return {
    subtype: "initialize",
    ...(Object.keys(all).length === 0 ? {} : { hooks: all }),
    ...(tools.length === 0 ? {} : { sdkMcpServers: [hostServer] })
  }
}
