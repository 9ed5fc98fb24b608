/** How long a store keeps things: the caller's options, checked, with the defaults. */
import { Effect, Result, Schema } from "effect"
import { makeParser } from "../../contract/checkInput.ts"
import { DurationInput, toMillis } from "../../contract/Input.ts"
import type { StoreKeep } from "../../contract/Sessions.ts"
import { StoreError } from "../../contract/StoreError.ts"

export interface Keep {
  /** After its last use, a conversation remembers its session for so long, in ms. */
  readonly sessionsMs: number
  /** Number of sessions with a transcript, most recently used first. */
  readonly transcripts: number
  /** The texts of ended turns, in ms. */
  readonly turnsMs: number
}

const StoreKeepSchema = Schema.Struct({
  sessions: Schema.optional(DurationInput),
  transcripts: Schema.optional(Schema.Natural),
  turns: Schema.optional(DurationInput)
})

const fields = { keep: Schema.optional(StoreKeepSchema) }

/** The options of a store as a caller gave them: `keep`, and those of its kind. */
export const checkOptions = <Fields extends Schema.Struct.Fields>(own: Fields) => {
  const parse = makeParser(Schema.Struct({ ...fields, ...own }) as unknown as Schema.Codec<unknown>, "options")
  return (input: unknown): Effect.Effect<void, StoreError> => {
    const parsed = parse(input)
    return Result.isFailure(parsed) ? Effect.fail(new StoreError({ reason: parsed.failure })) : Effect.void
  }
}

export const keepOf = ({ sessions = "7 days", transcripts = 20, turns = "7 days" }: StoreKeep = {}): Keep => ({
  sessionsMs: toMillis(sessions),
  transcripts,
  turnsMs: toMillis(turns)
})
