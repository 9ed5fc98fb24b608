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

/** Advice about a value of the wrong form: the nearest word, what was probably meant, or what holds for any value like it. */
const valueHint = (path: ReadonlyArray<string>, value: unknown, literals: ReadonlyArray<string>, raw: string) => {
  const nearest = Predicate.isString(value) ? hintFor(value, literals) : redactedRemark(value)
  const advice = nearest || formRemark(path, value)
  if (advice !== "") return advice
  if (value === null && raw.endsWith(" | undefined")) return "; leave it out instead"
  return raw.startsWith("Expected array") && value !== null ? "; a single one is a list of one" : ""
}

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
      const raw = first?.message ?? error.message
      const message = raw.replace(/^(Expected .+) \| undefined$/, "$1")
      const literals = () => schemasAt(schema.ast, path).flatMap(literalsOf)
      const problem =
        message !== "Expected no excess property"
          ? `${inWords(message, value)}${valueHint(path, value, literals(), raw)}`
          : namesAt(place).includes(field)
            ? // A union reports its first member, though the field is that of another one.
              "has the wrong form, or does not go with the other fields"
            : `is not a known field${hintFor(field, namesAt(place), namesAt([...place, "defaults"]))}`
      return new InvalidParams({ option: path.length === 0 ? name : path.join("."), problem })
    })
}

/** Types, as Schema names them, in words for people. */
const types: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object"
}

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined || Predicate.isBoolean(value)) return String(value)
  if (Array.isArray(value)) return "a list"
  return Predicate.isFunction(value) ? "a function" : (types[typeof value] ?? "a value of another type")
}

/** Checks, as Schema words them. */
const checks: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Expected an integer$/, "Expected a whole number"],
  [/^Expected a value greater than (-?[\d.]+)$/, "Expected a number above $1"],
  [/^Expected a value greater than or equal to (-?[\d.]+)$/, "Expected a number of at least $1"],
  [/^Expected a value between (-?[\d.]+) and (-?[\d.]+)$/, "Expected a number from $1 to $2"],
  [/^Expected a value with a length of at least 1$/, "Expected a text that is not empty"]
]

const joined = (words: ReadonlyArray<string>) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** A sentence that a Schema makes by itself, in words for people; the value is named by its type alone. */
const inWords = (message: string, value: unknown): string => {
  if (message === "Missing key") return "is missing"
  const members = message.replace(/^Expected /, "").split(" | ")
  const words = members.flatMap((member) => (/^"[^"]*"$/.test(member) ? member : (types[member] ?? [])))
  if (words.length === members.length) {
    const isWord =
      Predicate.isString(value) && !members.includes("string") && members.some((each) => each.startsWith('"'))
    return `Expected ${joined(words)}${isWord ? "" : `, not ${kindOf(value)}`}`
  }
  const check = checks.find(([pattern]) => pattern.test(message))
  return check === undefined ? message : message.replace(...check)
}
