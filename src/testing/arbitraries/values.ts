/** Schemas that only serve to generate: values as runs have them, small and readable ones among them. */
import { Schema } from "effect"

/** Of an answer: empty, long, in any script, such as looks like a line of JSON. */
export const Text = Schema.Union([
  Schema.Literals(["Hello", " ", "same", "same", "wörld 🙂\n", '{"a":1}\n', "\u2028", "👩‍👩‍👧"]),
  Schema.String
])

/** Never empty. */
export const Word = Schema.Union([Schema.Literals(["a", "Bash", "ls -la", "naïve"]), Schema.NonEmptyString])

export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

export const Usage = Schema.Struct({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadTokens: Schema.optionalKey(Count),
  cacheWriteTokens: Schema.optionalKey(Count)
})
