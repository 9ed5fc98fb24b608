/** Side effects of an agent's gateway tools during one run, beside its answer. */
import { Effect, Schema } from "effect"

/** Where a message went. */
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

/** `queued`: on its way. `unknown`: it may be there. */
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

/** Nothing was done. */
export const noSideEffects: McpSideEffects = {
  sentTexts: [],
  sentMediaUrls: [],
  sentTargets: [],
  cronAdds: 0,
  sent: []
}

/** Whether the agent sent a message itself. */
export const didSendViaMcpTool = (mcp: McpSideEffects): boolean => mcp.sentTargets.length > 0
