/**
 * The output of `pi --mode json` and, but for the answers to commands, of `pi --mode rpc`: one JSON object a line (0.73.1).
 * Lenient: only the fields in use, any of them may be null.
 */
import { Schema } from "effect"
import { stringContent, stringOf } from "../../contract/text/jsonLine.ts"
import type { Glance } from "../Decoder.ts"
import { anything, flag, number, optional, text, typed, wireDecoder } from "../wireDecoder.ts"

/** Printed once, first, and in runs alone. */
const Session = typed("session", { id: Schema.String, cwd: text })

const Counts = Schema.Struct({
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  /** In US dollars, by Pi's own table of prices; 0 for a model that is not in it. */
  cost: optional(Schema.Struct({ total: number }))
})

/** A message of the user, of the model, of a tool or of an extension. */
const Message = Schema.Struct({
  role: Schema.String,
  content: anything,
  provider: text,
  model: text,
  usage: optional(Counts),
  stopReason: text,
  errorMessage: text
})
export type Message = typeof Message.Type

const MessageStart = typed("message_start", { message: Message })

/**
 * A piece of the model's message. `partial`, the whole message so far, can be ahead of the pieces: it is left out. The same
 * goes for the `message` beside it.
 */
const MessageUpdate = typed("message_update", {
  assistantMessageEvent: Schema.Struct({ type: Schema.String, contentIndex: number, delta: text })
})

/** The whole message, with its counts; printed for each attempt. */
const MessageEnd = typed("message_end", { message: Message })

const ToolStart = typed("tool_execution_start", { toolCallId: Schema.String, toolName: Schema.String, args: anything })
/** All output so far. */
const ToolUpdate = typed("tool_execution_update", {})
const ToolEnd = typed("tool_execution_end", {
  toolCallId: Schema.String,
  toolName: Schema.String,
  result: optional(Schema.Struct({ content: anything, details: anything })),
  isError: flag
})

/** The model is about to be asked, or has answered, and the agent is at rest: but it may go on after a failed attempt. */
const AgentStart = typed("agent_start", {})
const AgentEnd = typed("agent_end", {})
const TurnStart = typed("turn_start", {})
const TurnEnd = typed("turn_end", {})

const RetryStart = typed("auto_retry_start", {
  attempt: number,
  maxAttempts: number,
  delayMs: number,
  errorMessage: text
})
const RetryEnd = typed("auto_retry_end", { success: flag, finalError: text })

const CompactionStart = typed("compaction_start", { reason: text })
const CompactionEnd = typed("compaction_end", { willRetry: flag, errorMessage: text })

const ExtensionError = typed("extension_error", { extensionPath: text, event: text, error: text })

/** Lines about texts that wait for the agent, its level of thinking, and the name of the session. */
const Queue = typed("queue_update", {})
const Thinking = typed("thinking_level_changed", {})
const SessionInfo = typed("session_info_changed", {})

export const Wire = Schema.Union([
  Session,
  MessageStart,
  MessageUpdate,
  MessageEnd,
  ToolStart,
  ToolUpdate,
  ToolEnd,
  AgentStart,
  AgentEnd,
  TurnStart,
  TurnEnd,
  RetryStart,
  RetryEnd,
  CompactionStart,
  CompactionEnd,
  ExtensionError,
  Queue,
  Thinking,
  SessionInfo
])
export type Wire = typeof Wire.Type
export type Session = typeof Session.Type
export type MessageUpdate = typeof MessageUpdate.Type
export type ToolStart = typeof ToolStart.Type
export type ToolEnd = typeof ToolEnd.Type
export type RetryStart = typeof RetryStart.Type
export type CompactionEnd = typeof CompactionEnd.Type
export type ExtensionError = typeof ExtensionError.Type
export const decodeWire = wireDecoder(Wire)

/** A class, so that no JSON of a live session can pass for one. */
export class Piece implements MessageUpdate {
  readonly type = "message_update"
  readonly assistantMessageEvent: MessageUpdate["assistantMessageEvent"]

  constructor(type: string, contentIndex: number, delta: string) {
    this.assistantMessageEvent = { type, contentIndex, delta }
  }
}

/** The members before `partial`, which is never read: it makes the output grow with the square of the answer. */
const pattern = new RegExp(
  [
    String.raw`^\{"type":"message_update","assistantMessageEvent":\{"type":"((?:text|thinking|toolcall)_delta)"`,
    String.raw`,"contentIndex":(0|[1-9]\d{0,5}),"delta":"(${stringContent})","partial":`
  ].join("")
)

/** The message so far is there twice; this stands between. */
const between = '},"message":'

/** Whether the line ends with the same message twice, and so with nothing that could change the meaning of its beginning. */
const endsWithMessages = (line: string, from: number): boolean => {
  const to = from + (line.length - from - between.length - 1) / 2
  return (
    line[from] === "{" &&
    line.endsWith("}}") &&
    line.startsWith(between, to) &&
    line.slice(from, to) === line.slice(to + between.length, -1)
  )
}

/** Reads a piece, most lines of a run, from its beginning: parsing would cost as much as all lines before it together. */
export const glance = (line: string): Glance<Piece> | undefined => {
  const [start, type, contentIndex, delta] = pattern.exec(line) ?? []
  if (start === undefined || type === undefined || delta === undefined) return undefined
  if (!endsWithMessages(line, start.length)) return undefined
  return { wire: new Piece(type, Number(contentIndex), stringOf(delta)) }
}
