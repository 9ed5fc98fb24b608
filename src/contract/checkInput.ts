/** Checks input of callers by Schema, since JavaScript has no types: a parser, and Schemas for common values. */
import { Predicate, Result, Schema, type SchemaAST, SchemaIssue } from "effect"
import { InvalidParams } from "./AgentError.ts"
import { isJson } from "./json.ts"
import { redactedRemark } from "./Redacted.ts"
import { formRemark, textRemark } from "./remarks.ts"
import { hintFor } from "./suggestions.ts"

export const AbortSignalSchema = Schema.declare((input): input is AbortSignal => input instanceof AbortSignal, {
  expected: "an AbortSignal"
})

const isFunction = <F>(input: unknown): input is F => Predicate.isFunction(input)

export const Callback = Schema.declare(isFunction, { expected: "a function" })

export const JsonObject = Schema.Record(Schema.String, Schema.Unknown).check(
  Schema.makeFilter((value) => isJson(value), { expected: "JSON" })
)

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The schemas at a place; several inside a union of objects. */
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
 * A parser for input from JavaScript, files, command lines and clients; its error names the first wrong field, or an
 * unknown one unless `unknownFields` is `ignore`.
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

/** Leaves out `undefined`, which is always accepted for an optional field. */
const inWords = (message: string) =>
  message === "Missing key" ? "is missing" : message.replace(/^(Expected .+) \| undefined$/, "$1")
