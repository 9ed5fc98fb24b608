/** The lines of `pi --mode rpc` that no run has (1.6.0): answers to commands, and what extensions show or ask. */
import { Schema } from "effect"
import { anything, flag, optional, text, typed, wireDecoder } from "../../wireDecoder.ts"

/** Without an `id`: the command was not readable. */
const Response = typed("response", { id: text, success: flag, data: anything, error: text })

/** `select`, `confirm`, `input` and `editor` wait for an answer, the others for none. */
const ExtensionRequest = typed("extension_ui_request", {
  id: Schema.String,
  method: Schema.String,
  title: text,
  message: text,
  notifyType: text,
  options: optional(Schema.Array(Schema.String))
})

const Line = Schema.Union([Response, ExtensionRequest])
export type Response = typeof Response.Type
export type ExtensionRequest = typeof ExtensionRequest.Type
export const decodeLive = wireDecoder(Line)
export const liveTypes: ReadonlySet<unknown> = new Set(["response", "extension_ui_request"])

/** The answer to `get_state`. */
const State = Schema.Struct({
  sessionId: Schema.String,
  model: optional(Schema.Struct({ provider: text, id: text })),
  isStreaming: flag,
  isCompacting: flag,
  /** Texts that wait for the agent. */
  pendingMessageCount: optional(Schema.Finite)
})
export type AgentState = typeof State.Type
export const decodeState = wireDecoder(State)
