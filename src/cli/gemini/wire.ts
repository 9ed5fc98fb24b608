/**
 * The output of Gemini CLI with `--output-format stream-json`, one JSON object a line (0.61.0).
 * Lenient: only the fields in use, any of them may be null. What fits no member is kept whole as an `unknown` event.
 */
import { Schema } from "effect"
import { wireDecoder } from "../wireDecoder.ts"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = optional(Schema.String)
const number = optional(Schema.Finite)

/** `model` is what was asked for, such as `auto`, not the model that answers. */
const Init = Schema.Struct({ type: Schema.Literal("init"), session_id: Schema.String, model: text })

const Message = Schema.Struct({
  type: Schema.Literal("message"),
  /** `user`: the whole prompt once more. */
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.String,
  delta: optional(Schema.Boolean)
})

const ToolUse = Schema.Struct({
  type: Schema.Literal("tool_use"),
  tool_name: Schema.String,
  tool_id: Schema.String,
  parameters: Schema.optionalKey(Schema.Unknown)
})

const Problem = Schema.Struct({ type: text, message: text })
export type Problem = typeof Problem.Type

const ToolResult = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_id: Schema.String,
  /** A shell command that exits with 1 is a success. */
  status: text,
  /** The text for people, not the one for the model; often absent. */
  output: text,
  error: optional(Problem)
})

const ErrorLine = Schema.Struct({ type: Schema.Literal("error"), severity: text, message: text })

/** `input_tokens` has the cached ones, `input` has not; `output_tokens` is without thoughts. */
const Counts = Schema.Struct({
  total_tokens: number,
  input_tokens: number,
  output_tokens: number,
  cached: number,
  input: number
})
export type Counts = typeof Counts.Type

const RunResult = Schema.Struct({
  type: Schema.Literal("result"),
  status: text,
  error: optional(Problem),
  /**
   * Counts of this run, also in a resumed session. Its `duration_ms` includes the tools, and its `tool_calls` are not
   * turns.
   */
  stats: optional(Schema.Struct({ ...Counts.fields, models: optional(Schema.Record(Schema.String, Counts)) }))
})

export const Wire = Schema.Union([Init, Message, ToolUse, ToolResult, ErrorLine, RunResult])
export type Wire = typeof Wire.Type
export type Init = typeof Init.Type
export type Message = typeof Message.Type
export type ToolUse = typeof ToolUse.Type
export type ToolResult = typeof ToolResult.Type
export type ErrorLine = typeof ErrorLine.Type
export type RunResult = typeof RunResult.Type

export const decodeWire = wireDecoder(Wire)
