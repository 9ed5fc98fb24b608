/**
 * The output of `opencode run --format json`, one JSON object a line (1.18.33). Lenient: only the fields in use, any of
 * them may be null. The session is read from lines of any type, so the type itself is decoded in a second step.
 */
import { Schema } from "effect"
import { anything, decodeLeniently, flag, number, optional, text, typed, wireDecoder } from "../wireDecoder.ts"

export const Wire = Schema.Struct({ sessionID: text })
export type Wire = typeof Wire.Type
export const decodeWire = wireDecoder(Wire)
const StepStart = typed("step_start", { part: Schema.Struct({ messageID: text }) })

/** A whole block, printed when it is finished. */
const Text = typed("text", {
  part: Schema.Struct({
    messageID: text,
    text: Schema.String,
    /** Text from OpenCode itself to the model, in the user's place. */
    synthetic: flag,
    metadata: optional(Schema.Struct({ compaction_continue: flag }))
  })
})

const Reasoning = typed("reasoning", { part: Schema.Struct({ messageID: text, text: Schema.String }) })

/** Printed once, when the tool has ended. */
const ToolUse = typed("tool_use", {
  part: Schema.Struct({
    messageID: text,
    tool: Schema.String,
    callID: Schema.String,
    state: Schema.Struct({
      status: Schema.Literals(["completed", "error"]),
      input: anything,
      output: text,
      error: text,
      metadata: anything,
      attachments: anything
    })
  })
})

const StepFinish = typed("step_finish", {
  part: Schema.Struct({
    messageID: text,
    reason: Schema.String,
    tokens: optional(
      Schema.Struct({
        input: number,
        output: number,
        reasoning: number,
        cache: optional(Schema.Struct({ read: number, write: number }))
      })
    ),
    cost: number
  })
})

const Failure = Schema.Struct({
  name: text,
  message: text,
  data: optional(
    Schema.Struct({
      message: text,
      statusCode: number,
      responseHeaders: optional(Schema.Record(Schema.String, Schema.Unknown)),
      responseBody: text
    })
  )
})

const ErrorLine = typed("error", { error: Failure })
const Line = Schema.Union([StepStart, Text, Reasoning, ToolUse, StepFinish, ErrorLine])
export type Line = typeof Line.Type
export type Text = typeof Text.Type
export type ToolUse = typeof ToolUse.Type
export type StepFinish = typeof StepFinish.Type
export type Failure = typeof Failure.Type
export const decodeLine = decodeLeniently(wireDecoder(Line))

/** The body of a refused request, as most APIs write it. */
const ResponseBody = Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ type: anything, code: anything }) }))
export const decodeResponseBody = Schema.decodeUnknownResult(ResponseBody)
