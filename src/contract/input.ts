/** What callers hand in is checked by schema, also where TypeScript did not see it: one parser and two kinds of value. */
import { Duration, Option, Result, Schema, SchemaIssue } from "effect"
import { InvalidParams } from "./AgentError.ts"
import { isJson } from "./json.ts"

/** A text that may be wrapped in `Redacted`, so that no log or error can show it. */
export const MaybeSecret = Schema.Union([Schema.String, Schema.Redacted(Schema.String)])

const millisOf = (input: unknown) =>
  Option.map(Duration.fromInput(input as Duration.Input), Duration.toMillis).pipe(Option.getOrElse(() => Number.NaN))

/** None and more; `0` is at once. */
export const DurationInput = Schema.declare((input): input is Duration.Input => millisOf(input) >= 0, {
  expected: 'a duration: milliseconds, or a text such as "5 minutes"'
})

/** More than none. */
export const Budget = Schema.declare((input): input is Duration.Input => millisOf(input) > 0, {
  expected: 'a duration above 0: milliseconds, a text such as "5 minutes", or "Infinity" for none'
})

export const AbortSignalSchema = Schema.declare((input): input is AbortSignal => input instanceof AbortSignal, {
  expected: "an AbortSignal"
})

export const JsonObject = Schema.Record(Schema.String, Schema.Unknown).check(
  Schema.makeFilter((value) => isJson(value), { expected: "JSON" })
)

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Checks what TypeScript cannot: callers in JavaScript, files and command lines. Names the first wrong field. */
export const makeParser = <A>(schema: Schema.Codec<A, unknown>, name: string) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "first", onExcessProperty: "error" })
  return (input: unknown): Result.Result<A, InvalidParams> =>
    Result.mapError(decode(input), (error) => {
      const [first] = issues(error.issue).issues
      const isUnknown = first?.message === "Expected no excess property"
      const path = (first?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
      return new InvalidParams({
        option: path === "" ? name : path,
        problem: isUnknown ? "is not known" : (first?.message ?? error.message)
      })
    })
}
