/** Input of a model → checked values, or a sentence with the fix. Unknown fields are refused, not ignored. */
import { Effect, Result, Schema } from "effect"
import { makeParser } from "../../contract/checkInput.ts"
import { harmless } from "../../contract/text/harmless.ts"

/** Shown to the model as the tool's error. Nothing was done unless it says so. */
export class ToolRefused extends Schema.TaggedError<ToolRefused>()("ToolRefused", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

export const refuse = (problem: string) => new ToolRefused({ problem })

/** A word of the model, quoted for a sentence. */
export const quoted = (word: string): string =>
  JSON.stringify(harmless((word.length <= 60 ? word : `${word.slice(0, 59)}…`).toWellFormed()))

/** Field names that models know from other bridges. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["target", "to"],
  ["channel", "to"],
  ["chat", "to"],
  ["chat_id", "to"],
  ["chatId", "to"],
  ["recipient", "to"],
  ["content", "text"],
  ["body", "text"],
  ["reply_to", "replyTo"],
  ["replyToId", "replyTo"],
  ["file", "path"],
  ["filePath", "path"],
  ["file_path", "path"],
  ["when", "at"],
  ["time", "at"],
  ["schedule", "cron"],
  ["timezone", "zone"]
])

type InputSchema = Readonly<Record<string, unknown>>

const made = new WeakMap<Schema.Top, InputSchema>()

/** The JSON Schema of a struct. Shared by all sessions: it is not changed. */
export const inputSchemaOf = (schema: Schema.Top): InputSchema => {
  const known = made.get(schema) ?? Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema
  made.set(schema, known)
  return known
}

export const inputParser = <A>(schema: Schema.Codec<A, unknown>, fields: ReadonlyArray<string>) => {
  const parse = makeParser(schema, "input")
  return (input: unknown): Effect.Effect<A, ToolRefused> =>
    Result.match(parse(input ?? {}), {
      onSuccess: (value) => Effect.succeed(value),
      onFailure: ({ option, problem }) => {
        const field = synonyms.get(option)
        const hint = field === undefined || !fields.includes(field) ? "" : `; did you mean "${field}"?`
        const known = fields.map((name) => `"${name}"`).join(", ")
        return Effect.fail(refuse(`${quoted(option)} ${problem.slice(0, 200)}${hint} The fields are ${known}.`))
      }
    })
}

const mostBytes = 100_000

/** Makes a text well-formed, without NUL, which PostgreSQL refuses. Fails if it is blank or too long. */
export const textFrom = (field: string, text: string, most = mostBytes): Effect.Effect<string, ToolRefused> => {
  const clean = text.toWellFormed().replaceAll("\0", "")
  if (clean.trim() === "") return Effect.fail(refuse(`"${field}" is empty: there is nothing to send.`))
  const bytes = Buffer.byteLength(clean)
  if (bytes <= most) return Effect.succeed(clean)
  return Effect.fail(refuse(`"${field}" has ${bytes} bytes; at most ${most} are taken: shorten it, or send a file.`))
}
