/** Checks input of callers by schema, since JavaScript has no types: a parser, and schemas for common values. */
import { Duration, Option, Predicate, Result, Schema, type SchemaAST, SchemaIssue } from "effect"
import { InvalidParams } from "./AgentError.ts"
import type * as Types from "./Input.ts"
import { isJson } from "./json.ts"
import { redactedRemark, textOf } from "./Redacted.ts"
import { formRemark, textRemark } from "./remarks.ts"
import { hintFor } from "./suggestions.ts"

const isSecret = (input: unknown): input is Types.Redacted => textOf(input) !== undefined

/** A text that may be wrapped in `Redacted`, so that no log or error shows it. */
export const MaybeSecret = Schema.Union([
  Schema.String,
  Schema.declare(isSecret, { expected: "a text, or a Redacted one" })
])

/** The text itself. */
export const reveal = (given: Types.MaybeSecret): string => {
  const text = textOf(given)
  if (text === undefined) throw new TypeError("reveal: it is no text")
  return text
}

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

export type MaybeSecret = Types.MaybeSecret
export type DurationInput = Types.DurationInput

export const AbortSignalSchema = Schema.declare((input): input is AbortSignal => input instanceof AbortSignal, {
  expected: "an AbortSignal"
})

const isFunction = <F>(input: unknown): input is F => Predicate.isFunction(input)

export const Callback = Schema.declare(isFunction, { expected: "a function" })

export const JsonObject = Schema.Record(Schema.String, Schema.Unknown).check(
  Schema.makeFilter((value) => isJson(value), { expected: "JSON" })
)

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The schemas at a place; several where it is one of some objects. */
const schemasAt = (ast: SchemaAST.AST, [key, ...rest]: ReadonlyArray<string>): ReadonlyArray<SchemaAST.AST> => {
  if (ast._tag === "Union") return ast.types.flatMap((type) => schemasAt(type, key === undefined ? [] : [key, ...rest]))
  if (key === undefined) return [ast]
  if (ast._tag === "Arrays") return ast.rest.flatMap((type) => schemasAt(type, rest))
  if (ast._tag !== "Objects") return []
  const own = ast.propertySignatures.find(({ name }) => name === key)
  return (own === undefined ? ast.indexSignatures : [own]).flatMap(({ type }) => schemasAt(type, rest))
}

const namesOf = (ast: SchemaAST.AST) =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const literalsOf = (ast: SchemaAST.AST) => (ast._tag === "Literal" ? [String(ast.literal)] : [])

const valueAt = (input: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => (Predicate.hasProperty(value, key) ? value[key] : undefined), input)

const valueHint = (field: string, value: unknown, literals: ReadonlyArray<string>) =>
  Predicate.isString(value) ? hintFor(value, literals) : redactedRemark(value) || formRemark(field, value)

/**
 * A parser for input from JavaScript, files, command lines and clients; its error names the first wrong field. A field that
 * the schema does not have is wrong, too, unless it is to be ignored.
 */
export const makeParser = <A>(
  schema: Schema.Codec<A, unknown>,
  name: string,
  unknownFields: "error" | "ignore" = "error"
) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "first", onExcessProperty: unknownFields })
  return (input: unknown): Result.Result<A, InvalidParams> =>
    Result.mapError(decode(input), (error) => {
      const namesAt = (at: ReadonlyArray<string>) => schemasAt(schema.ast, at).flatMap(namesOf)
      const [first] = issues(error.issue).issues
      const path = (first?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
      if (path.length === 0 && !Predicate.isObject(input)) {
        return new InvalidParams({ option: name, problem: `is not an object${textRemark(input, namesAt([]))}` })
      }
      const [field = "", place] = [path.at(-1), path.slice(0, -1)]
      const value = valueAt(input, path)
      const problem =
        first?.message === "Expected no excess property"
          ? `is not a known field${hintFor(field, namesAt(place), namesAt([...place, "defaults"]))}`
          : `${inWords(first?.message ?? error.message)}${valueHint(field, value, schemasAt(schema.ast, path).flatMap(literalsOf))}`
      return new InvalidParams({ option: path.length === 0 ? name : path.join("."), problem })
    })
}

/** `undefined` is always accepted for a field that may be left out. */
const inWords = (message: string) =>
  message === "Missing key" ? "is missing" : message.replace(/^(Expected .+) \| undefined$/, "$1")
