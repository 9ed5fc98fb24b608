/** The result of one message: payloads, the run, and side effects of the agent's tools. */
import { Effect, Schema } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { Eventually } from "../../contract/Input.ts"
import { ReplyPayload } from "./ReplyPayload.ts"

/** The target of a message. */
export const McpMessageTarget = Schema.Struct({
  /** The name of the tool that was called. */
  tool: Schema.String,
  /** The id of the channel. */
  provider: Schema.String,
  accountId: Schema.optionalKey(Schema.String),
  /** The id of the chat. */
  to: Schema.optionalKey(Schema.String),
  threadId: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "McpMessageTarget" })
export type McpMessageTarget = typeof McpMessageTarget.Type

/** `queued`: on its way. `unknown`: it may have arrived. */
export const SentState = Schema.Literals(["queued", "delivered", "unknown", "failed"])
export type SentState = typeof SentState.Type

/** A message that the agent sent. */
export const SentMessage = Schema.Struct({
  target: McpMessageTarget,
  text: Schema.String,
  mediaUrls: Schema.Array(Schema.String),
  state: SentState,
  /** When the tool was called, in ms since 1970. */
  at: Schema.Finite
}).annotate({ identifier: "SentMessage" })
export type SentMessage = typeof SentMessage.Type

const emptyList = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

/** Missing fields are empty lists and 0. */
export const McpSideEffects = Schema.Struct({
  sentTexts: emptyList(Schema.String),
  sentMediaUrls: emptyList(Schema.String),
  sentTargets: emptyList(McpMessageTarget),
  /** Schedules that were added. */
  cronAdds: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  /** Each message with its target and state. */
  sent: emptyList(SentMessage)
}).annotate({ identifier: "McpSideEffects" })
export type McpSideEffects = typeof McpSideEffects.Type

const nothing = { sentTexts: [], sentMediaUrls: [], sentTargets: [], cronAdds: 0, sent: [] }
export const noSideEffects: McpSideEffects = nothing

/** Whether the agent sent a message itself. Other fields may be missing, as in a value that is written by hand. */
export const didSendViaMcpTool = (mcp: Pick<McpSideEffects, "sentTargets"> & Partial<McpSideEffects>): boolean =>
  mcp.sentTargets.length > 0

export const AgentDeliveryResult = Schema.Struct({
  /** Payloads to send, in order: the answer, then any failure. */
  payloads: Schema.Array(ReplyPayload),
  run: AgentRunResult,
  mcp: McpSideEffects,
  /** Human-readable reason for a missing or partial answer. */
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AgentDeliveryResult" })
export type AgentDeliveryResult = typeof AgentDeliveryResult.Type

/** Called while a message is answered, in order. A failure is logged, and the run continues. */
export interface BridgeCallbacks {
  /** A full chunk of the answer, while it is written. Without `onBlockReply` also what that gets. */
  readonly onPartialReply?: (payload: ReplyPayload) => Eventually<void>
  /** The rest of the answer at its end, an error, or a file. Without `onPartialReply` also what that gets. */
  readonly onBlockReply?: (payload: ReplyPayload) => Eventually<void>
  readonly onToolResult?: (payload: ReplyPayload) => Eventually<void>
  readonly onEvent?: (event: AgentEvent) => Eventually<void>
}
