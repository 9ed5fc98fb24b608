/**
 * The output of `pi --mode json` and, but for the answers to commands, of `pi --mode rpc`: one JSON object a line (1.6.0,
 * and 0.73.1 where that is said).
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
 * A piece of the model's message. In 0.73.1 it has the whole message so far, twice, which can be ahead of the pieces: that is
 * left out.
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
  result: optional(Schema.Struct({ content: anything, details: anything, structuredContent: anything })),
  isError: flag
})

/** The model is about to be asked, or has answered, and the agent is at rest: but it may go on after a failed attempt. */
const AgentStart = typed("agent_start", {})
const AgentEnd = typed("agent_end", {})
/** Nothing more follows by itself: no attempt, no summary, no text that waits. */
const AgentSettled = typed("agent_settled", {})
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

/** Lines about texts that wait for the agent, its level of thinking, the name of the session, and its file. */
const Queue = typed("queue_update", {})
const Thinking = typed("thinking_level_changed", {})
const SessionInfo = typed("session_info_changed", {})
const Entry = typed("entry_appended", {})

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
  AgentSettled,
  TurnStart,
  TurnEnd,
  RetryStart,
  RetryEnd,
  CompactionStart,
  CompactionEnd,
  ExtensionError,
  Queue,
  Thinking,
  SessionInfo,
  Entry
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

/** The piece itself, the same in all versions but for its end. */
const place = String.raw`"type":"((?:text|thinking|toolcall)_delta)","contentIndex":(0|[1-9]\d{0,5})`
const piece = String.raw`"assistantMessageEvent":\{${place},"delta":"(${stringContent})"`

const listOf = (item: string) => `(?:${item}(?:,${item})*)?`
const count = String.raw`"\w+":(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false)`
const cost = String.raw`"cost":\{${listOf(count)}\}`

/** A line with the counts of the message so far before the piece, and nothing behind it. */
const whole = new RegExp(
  String.raw`^\{"type":"message_update","usage":\{${listOf(`(?:${cost}|${count})`)}\},${piece}\}\}$`
)

/** A line of 0.73.1, up to the message so far, which makes the output grow with the square of the answer. */
const beginning = new RegExp(String.raw`^\{"type":"message_update",${piece},"partial":`)

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

const ofOldVersion = (line: string): RegExpExecArray | null => {
  const found = beginning.exec(line)
  return found !== null && endsWithMessages(line, found[0].length) ? found : null
}

/** Reads a piece, most lines of a run, without parsing: in 0.73.1 it would cost as much as all lines before it together. */
export const glance = (line: string): Glance<Piece> | undefined => {
  const [, type, contentIndex, delta] = whole.exec(line) ?? ofOldVersion(line) ?? []
  if (type === undefined || delta === undefined) return undefined
  return { wire: new Piece(type, Number(contentIndex), stringOf(delta)) }
}
