/** A run in plain words, generated: what a wire arbitrary says in the words of one CLI. */
import { Schema } from "effect"
import { Count, Word } from "./values.ts"

const Call = Schema.Struct({
  tool: Schema.Literals(["command", "other"]),
  argument: Word,
  output: Word,
  isError: Schema.Boolean
})
export type Call = typeof Call.Type

/** The same again is often taken for a repetition. */
const Pieces = Schema.Union([Schema.Tuple([Schema.Literal("same")]), Schema.NonEmptyArray(Word)])

const Happening = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "text", "thinking"]), pieces: Pieces }),
  /** Calls that run at the same time, their results in the same or the other order. */
  Schema.Struct({ type: Schema.Literal("tools"), calls: Schema.NonEmptyArray(Call), isReversed: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("retry") })
])
export type Happening = typeof Happening.Type

/** Of a count of 0, Gemini CLI says nothing. */
const Some = Count.check(Schema.isGreaterThan(0))

const End = Schema.Union([
  Schema.Struct({ type: Schema.Literal("completed"), inputTokens: Some, outputTokens: Some, cacheReadTokens: Some }),
  Schema.Struct({
    type: Schema.Literal("failed"),
    kind: Schema.Literals([
      "auth", "billing", "rate_limit", "overloaded", "context_overflow", "invalid_request", "network", "other"
    ]) // biome-ignore format: one list
  }),
  /** The process leaves with 0, and the CLI says nothing of an end. */
  Schema.Struct({ type: Schema.Literal("cut") })
])
export type End = typeof End.Type

export const Script = Schema.Struct({ happenings: Schema.Array(Happening), end: End })
export type Script = typeof Script.Type
