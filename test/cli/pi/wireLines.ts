/** The lines Pi prints, made up (1.6.0). */

export type Json = Readonly<Record<string, unknown>>

export const sessionId = "01a21991-ed61-7748-bcdb-a31b29610aff"

export const session: Json = {
  type: "session",
  version: 3,
  id: sessionId,
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w"
}
export const agentStart: Json = { type: "agent_start" }
export const agentEnd: Json = { type: "agent_end", messages: [] }
export const agentSettled: Json = { type: "agent_settled", aborted: false }

export const usage = {
  input: 100,
  output: 10,
  cacheRead: 30,
  cacheWrite: 3,
  totalTokens: 143,
  cost: { input: 0.1, output: 0.4, cacheRead: 0, cacheWrite: 0, total: 0.5 }
}

const message = (fields: Json): Json => ({
  role: "assistant",
  content: [],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 1,
  ...fields
})

export const messageStart = (fields: Json = {}): Json => ({ type: "message_start", message: message(fields) })

type Piece = "text" | "thinking" | "toolcall"

const pieceOf = (type: Piece, contentIndex: number, delta: string) => ({ type: `${type}_delta`, contentIndex, delta })

export const delta = (type: Piece, contentIndex: number, words: string): Json => ({
  type: "message_update",
  usage,
  assistantMessageEvent: pieceOf(type, contentIndex, words)
})

/** The line of 0.73.1. `partial` is the message so far, which can be ahead. */
export const oldDelta = (type: Piece, contentIndex: number, words: string, partial: Json = {}): Json => ({
  type: "message_update",
  assistantMessageEvent: { ...pieceOf(type, contentIndex, words), partial: message(partial) },
  message: message(partial)
})

export const text = (words: string): Json => ({ type: "text", text: words })

/** A failed one has its `errorMessage`. */
export const messageEnd = (fields: Json = {}): Json => ({ type: "message_end", message: message(fields) })

export const failed = (errorMessage: string, fields: Json = {}): Json =>
  messageEnd({ stopReason: "error", errorMessage, ...fields })

export const toolStart = (toolCallId: string, toolName: string, args: Json = {}): Json => ({
  type: "tool_execution_start",
  toolCallId,
  toolName,
  args
})

export const toolEnd = (
  toolCallId: string,
  toolName: string,
  output: string,
  isError = false,
  structuredContent?: Json
): Json => ({
  type: "tool_execution_end",
  toolCallId,
  toolName,
  result: { content: [text(output)], ...(structuredContent === undefined ? {} : { structuredContent }) },
  isError
})

export const retryStart = (errorMessage: string): Json => ({
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 3,
  delayMs: 2_000,
  errorMessage
})
