/** The result of one message: payloads, the run, and side effects of the agent. */
import { Schema } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { Eventually } from "../../contract/Input.ts"
import { McpSideEffects } from "./McpSideEffects.ts"
import { ReplyPayload } from "./ReplyPayload.ts"

/** The end of one message. */
export const AgentDeliveryResult = Schema.Struct({
  /** Payloads to send, in order: the answer, then any failure. */
  payloads: Schema.Array(ReplyPayload),
  /** The result of the run or turn. */
  run: AgentRunResult,
  /** Side effects of the gateway's tools. */
  mcp: McpSideEffects,
  /** Human-readable reason for a missing or partial answer. */
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AgentDeliveryResult" })
export type AgentDeliveryResult = typeof AgentDeliveryResult.Type

/** Called while a message is answered, in order; one that fails is logged, and the run goes on. */
export interface BridgeCallbacks {
  /** A full chunk of the answer, while it is written. */
  readonly onPartialReply?: (payload: ReplyPayload) => Eventually<void>
  /** The rest of the answer at its end, an error, or a file. */
  readonly onBlockReply?: (payload: ReplyPayload) => Eventually<void>
  /** The result of a tool. */
  readonly onToolResult?: (payload: ReplyPayload) => Eventually<void>
  /** Each event of the run. */
  readonly onEvent?: (event: AgentEvent) => Eventually<void>
}
