/** Schemas for generation: values of runs, small and readable ones among them. */
import { Schema } from "effect"

/** Text of an answer: empty, long, in any script, also similar to a line of JSON. */
export const Text = Schema.Union([
  Schema.Literals(["Hello", " ", "same", "same", "wörld 🙂\n", '{"a":1}\n', "\u2028", "👩‍👩‍👧"]),
  Schema.String
])

export const Word = Schema.Union([Schema.Literals(["a", "Bash", "ls -la", "naïve"]), Schema.NonEmptyString])

/** In the form that each CLI accepts. */
export const SessionId = Schema.Literals([
  "0d3f5e2c-7a41-4c59-9b1e-3f6a8d2c4b70",
  "5b8c1f94-2e6d-4a37-8c05-d19e7b3a6f42",
  "c4a7d2e8-91b3-4f60-a5d8-6e0f1c9b7a35"
])

export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
/** In dollars. */
export const Cost = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** Any count can be absent. */
export const Usage = Schema.Struct({
  inputTokens: Schema.optionalKey(Count),
  outputTokens: Schema.optionalKey(Count),
  cacheReadTokens: Schema.optionalKey(Count),
  cacheWriteTokens: Schema.optionalKey(Count)
})
