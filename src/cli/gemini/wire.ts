/**
 * The output of Gemini CLI with `--output-format stream-json`, one JSON object a line (0.61.0). Lenient: only the fields in use,
 * any of them may be null. A line that fits no member is kept whole as an `unknown` event.
 */
import { Schema } from "effect"
import { plainContent, stringContent, stringOf } from "../../contract/text/jsonLine.ts"
import type { Glance } from "../Decoder.ts"
import { anything, flag, number, optional, text, typed, wireDecoder } from "../wireDecoder.ts"

/** `model` is the requested one, such as `auto`, not the model that answers. */
const Init = typed("init", { session_id: Schema.String, model: text })

const Message = typed("message", {
  /** `user`: the whole prompt, repeated. */
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.String,
  delta: flag
})

const ToolUse = typed("tool_use", { tool_name: Schema.String, tool_id: Schema.String, parameters: anything })
const Problem = Schema.Struct({ type: text, message: text })
export type Problem = typeof Problem.Type

const ToolResult = typed("tool_result", {
  tool_id: Schema.String,
  /** A shell command that exits with 1 is a success. */
  status: text,
  /** The text for people, not the one for the model; often absent. */
  output: text,
  error: optional(Problem)
})

const ErrorLine = typed("error", { severity: text, message: text })

/** `input_tokens` includes the cached ones, `input` does not; `output_tokens` is without thoughts. */
const Counts = Schema.Struct({
  total_tokens: number,
  input_tokens: number,
  output_tokens: number,
  cached: number,
  input: number
})
export type Counts = typeof Counts.Type

const RunResult = typed("result", {
  status: text,
  error: optional(Problem),
  /** Counts of this run alone. Its `duration_ms` includes the tools, and its `tool_calls` are not turns. */
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

/** Only the members that Gemini CLI prints, in their order. */
const pattern = new RegExp(
  [
    String.raw`^\{"type":"message","timestamp":"${plainContent}","role":"assistant"`,
    String.raw`,"content":"(${stringContent})","delta":true\}$`
  ].join("")
)

/** Reads a delta, most lines of a run, from its text, at less than a third of the cost of parsing. */
export const glance = (line: string): Glance<Message> | undefined => {
  const content = pattern.exec(line)?.[1]
  if (content === undefined) return undefined
  return { wire: { type: "message", role: "assistant", content: stringOf(content), delta: true } }
}
