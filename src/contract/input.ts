/** Checks input of callers by schema, since JavaScript has no types: a parser, and schemas for common values. */
import { Duration, Option, Redacted, Result, Schema, SchemaIssue } from "effect"
import type * as Types from "../types/Input.ts"
import { InvalidParams } from "./AgentError.ts"
import { isJson } from "./json.ts"

const isSecret = (input: unknown): input is Types.Redacted =>
  Redacted.isRedacted(input) && typeof Redacted.value(input) === "string"

/** A text that may be wrapped in `Redacted`, so that no log or error shows it. */
export const MaybeSecret = Schema.Union([Schema.String, Schema.declare(isSecret, { expected: "a Redacted text" })])

/** The text itself. */
export const reveal = (given: Types.MaybeSecret): string =>
  typeof given === "string" ? given : Redacted.value(given as Redacted.Redacted) // it has the mark of one

/** Of a duration that was checked. */
export const toMillis = (duration: Types.DurationInput): number => Duration.toMillis(duration as Duration.Input) // ours are some of its

const millisOf = (input: unknown) =>
  Option.map(Duration.fromInput(input as Duration.Input), Duration.toMillis).pipe(Option.getOrElse(() => Number.NaN))

/** A duration ≥ 0. */
export const DurationInput = Schema.declare((input): input is Types.DurationInput => millisOf(input) >= 0, {
  expected: 'a duration: milliseconds, or a text such as "5 minutes"'
})

/** A duration > 0. */
export const Budget = Schema.declare((input): input is Types.DurationInput => millisOf(input) > 0, {
  expected: 'a duration above 0: milliseconds, a text such as "5 minutes", or "Infinity" for none'
})

export const AbortSignalSchema = Schema.declare((input): input is AbortSignal => input instanceof AbortSignal, {
  expected: "an AbortSignal"
})

export const JsonObject = Schema.Record(Schema.String, Schema.Unknown).check(
  Schema.makeFilter((value) => isJson(value), { expected: "JSON" })
)

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A parser for input from JavaScript, files and command lines; its error names the first wrong field. */
export const makeParser = <A>(schema: Schema.Codec<A, unknown>, name: string) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "first", onExcessProperty: "error" })
  return (input: unknown): Result.Result<A, InvalidParams> =>
    Result.mapError(decode(input), (error) => {
      const [first] = issues(error.issue).issues
      const isUnknown = first?.message === "Expected no excess property"
      const path = (first?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
      return new InvalidParams({
        option: path === "" ? name : path,
        problem: isUnknown ? "is not a known field" : (first?.message ?? error.message)
      })
    })
}
