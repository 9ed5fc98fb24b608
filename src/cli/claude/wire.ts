/**
 * The output of Claude Code with `--output-format stream-json`, one JSON object a line (2.1.328). Lenient: only the fields in
 * use, any of them may be null. A line that fits no member is kept whole as an `unknown` event.
 */
import { Predicate, Result, Schema } from "effect"
import type { Decode } from "../lenient.ts"
import { anything, flag, number, optional, text, typed, wireDecoder } from "../wireDecoder.ts"
import type { Delta } from "./run/glance.ts"
import { Init, Status, SystemLines } from "./run/wireSystem.ts"

export type { BackgroundTask, Init, SystemLine } from "./run/wireSystem.ts"

const RateLimitInfo = Schema.Struct({ status: text, resetsAt: number, rateLimitType: text, utilization: number })

/** Lifecycle of the user line with this uuid: `queued`, `started`, `completed` or `cancelled`. */
const Lifecycle = typed("command_lifecycle", { command_uuid: text, state: text })

const SilentLines = [Lifecycle, typed("keep_alive", {}), typed("conversation_reset", {})] as const

const ToolProgress = typed("tool_progress", {
  /** The running call itself, not a mark of nesting. */
  parent_tool_use_id: text,
  tool_name: text,
  elapsed_time_seconds: number
})

const RateLimit = typed("rate_limit_event", { rate_limit_info: optional(RateLimitInfo) })

const AnswerCounts = Schema.Struct({
  input_tokens: number,
  output_tokens: number,
  cache_read_input_tokens: number,
  cache_creation_input_tokens: number
})

/** One line a finished content block. `content` is decoded block by block, so that one unknown block hides no other. */
const Assistant = typed("assistant", {
  message: Schema.Struct({
    id: text,
    model: text,
    /** Only of an answer that was not streamed. */
    stop_reason: text,
    /** Counts of the whole answer, at its start. */
    usage: optional(AnswerCounts),
    content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)])
  }),
  parent_tool_use_id: text,
  /** The sub-agent that speaks. */
  agent_id: text,
  timestamp: text,
  error: text,
  is_api_error_message: flag,
  api_error_params: optional(Schema.Struct({ rate_limit_info: optional(RateLimitInfo) }))
})

const User = typed("user", {
  message: Schema.Struct({ content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]) }),
  parent_tool_use_id: text,
  tool_use_result: anything,
  isSynthetic: flag
})

const StreamEvent = typed("stream_event", {
  event: Schema.Struct({
    type: Schema.String,
    index: number,
    message: optional(Schema.Struct({ id: text, model: text, usage: optional(AnswerCounts) })),
    content_block: optional(Schema.Struct({ type: Schema.String, text: text, thinking: text })),
    delta: optional(Schema.Struct({ type: text, text: text, thinking: text, stop_reason: text })),
    /** `message_delta`: the counts of the whole answer. */
    usage: optional(AnswerCounts)
  }),
  api_message_id: text,
  /** On `message_stop` of an abandoned stream: all blocks from this index on are void. */
  abandoned_blocks: optional(Schema.Struct({ api_message_id: text, from_block_index: number }))
})

const Counts = Schema.Struct({
  inputTokens: number,
  outputTokens: number,
  cacheReadInputTokens: number,
  cacheCreationInputTokens: number,
  costUSD: number
})

const RunResult = typed("result", {
  subtype: text,
  /** Also true with subtype "success": that is how failures of the API are reported. */
  is_error: flag,
  terminal_reason: text,
  session_id: text,
  result: text,
  errors: optional(Schema.Array(Schema.Unknown)),
  api_error_status: number,
  api_error_type: text,
  api_error: text,
  stop_reason: text,
  num_turns: number,
  /** Duration of the whole session, like `total_cost_usd`. */
  duration_api_ms: number,
  total_cost_usd: number,
  /** The same in older versions. */
  cost_usd: number,
  usage: optional(AnswerCounts),
  /** Usage of the whole session, including sub-agents. */
  modelUsage: optional(Schema.Record(Schema.String, Counts)),
  /** The share since the previous result (from 2.1.309 on). */
  model_usage_since_last_result: optional(Schema.Record(Schema.String, Counts)),
  permission_denials: optional(
    Schema.Array(Schema.Struct({ tool_name: text, tool_use_id: text, tool_input: anything }))
  ),
  structured_output: anything,
  queued_turn_count: number,
  /** The user lines that had part in the turn, of those that had a uuid. */
  user_message_uuids: optional(Schema.Array(Schema.String)),
  /** Only on turns the CLI started. */
  origin: optional(Schema.Struct({ kind: text })),
  /** The CLI's own command that was run instead of a turn of the model. */
  local_command: text
})

export const Wire = Schema.Union([
  StreamEvent,
  Assistant,
  User,
  RunResult,
  ToolProgress,
  RateLimit,
  ...SilentLines,
  Schema.Union(SystemLines)
])
/** With what is read at a glance. */
export type Wire = typeof Wire.Type | Delta
export type AnswerCounts = typeof AnswerCounts.Type
export type Assistant = typeof Assistant.Type
export type User = typeof User.Type
export type StreamEvent = typeof StreamEvent.Type
export type RunResult = typeof RunResult.Type
export type RateLimitInfo = typeof RateLimitInfo.Type
const decodeAny = wireDecoder(Wire, StreamEvent)

/** Decoders of frequent lines, by type or subtype: finding them in the union costs as much as reading them. */
const frequent: ReadonlyMap<unknown, Decode<typeof Wire.Type>> = new Map<unknown, Decode<typeof Wire.Type>>([
  ["assistant", wireDecoder(Assistant)],
  ["user", wireDecoder(User)],
  ["result", wireDecoder(RunResult)],
  ["command_lifecycle", wireDecoder(Lifecycle)],
  ["init", wireDecoder(Init)],
  ["status", wireDecoder(Status)]
])

const nameOf = (json: unknown) => {
  if (!Predicate.hasProperty(json, "type")) return undefined
  return json.type === "system" && "subtype" in json ? json.subtype : json.type
}

/** A frequent line that its own decoder rejects is decoded by the union: both give the same. */
export const decodeWire: Decode<typeof Wire.Type> = (json) => {
  const decoded = frequent.get(nameOf(json))?.(json)
  return decoded !== undefined && Result.isSuccess(decoded) ? decoded : decodeAny(json)
}

const Call = { id: Schema.String, name: Schema.String, input: anything }

/** A content block of an `assistant` line. */
const Block = Schema.Union([
  typed("text", { text: Schema.String }),
  typed("thinking", { thinking: Schema.String }),
  typed("redacted_thinking", {}),
  typed("tool_use", { ...Call }),
  typed("server_tool_use", { ...Call })
])
export const decodeBlock = wireDecoder(Block)

/** The outcome of a tool call: in a `user` line, or in an `assistant` line for tools the API itself runs. */
const ToolOutcome = Schema.Struct({ tool_use_id: Schema.String, content: anything, is_error: flag })
export const decodeToolOutcome = wireDecoder(ToolOutcome)
