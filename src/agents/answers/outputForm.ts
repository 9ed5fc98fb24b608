/**
 * `outputSchema` in one of its forms → its JSON Schema, for agents, and the check of their answers. A check is bounded in
 * time, number and length of problems: patterns and unions may take exponential time.
 */
import { Script } from "node:vm"
import { Effect, JsonSchema, Predicate, Result, Schema, type SchemaAST, SchemaRepresentation } from "effect"
import { InvalidParams, type OutputProblem } from "../../contract/AgentError.ts"
import { makerOf, ofAnotherCopy, ownCopy } from "../../contract/copiesOfEffect.ts"
import { isJson } from "../../contract/json.ts"
import { jsonSchemaProblem, wrapperProblem } from "../../contract/jsonSchema.ts"
import type { StandardSchema } from "../../contract/OutputSchema.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"

// A synchronous function → its value, or an error that `isTimeout` knows if it takes longer than a second: while it runs, no
// timer and no signal of the host can end it. A runtime that cannot run scripts runs it without a limit.

const milliseconds = 1_000

const isTimeout = (error: unknown) =>
  Predicate.hasProperty(error, "code") && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** The time limit of a script includes its calls. */
const inScript = <A>(run: () => A): A => {
  let isStarted = false
  const compute = () => {
    isStarted = true
    return run()
  }
  try {
    return new Script("compute()").runInNewContext({ compute }, { timeout: milliseconds })
  } catch (error) {
    if (isStarted || isTimeout(error)) throw error
    return run()
  }
}

/** In a fiber of its own, whose end resets the current fiber: a function that is cut off runs no `finally`. */
const timeLimited = <A>(run: () => A): A => Effect.runSync(Effect.sync(() => inScript(run)))

/** All problems of a value; at least one. */
type Read = (value: unknown) => Result.Result<unknown, ReadonlyArray<OutputProblem>>

const mostProblems = 16
const longestMessage = 300
const longestPath = 200

const clip = (text: string, length = longestMessage) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`)

/** On one line: keys of the answer are in paths, and in messages of libraries. */
const visible = (text: string, length = longestMessage) => withoutInvisible(clip(text, length).replace(/\s/g, " "))

type Issue = Extract<Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>, { readonly issues: unknown }>
type Issues = NonNullable<Issue["issues"]>

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }) =>
  String(typeof segment === "object" ? segment.key : segment)
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")

/** With paths as JSON pointers: `/a/0`. */
const problemsOf = (issues: Issues): ReadonlyArray<OutputProblem> =>
  issues.slice(0, mostProblems).map(({ path = [], message }) => ({
    path: visible(path.map((segment) => `/${keyOf(segment)}`).join(""), longestPath),
    message: message === "Missing key" ? "is missing" : visible(String(message))
  }))

const problem = (message: string) => Result.fail([{ path: "", message }])

/** Turns errors of the caller's schema, and values too deep or too long to check, into a problem of the value. */
const guarded =
  (read: Read): Read =>
  (value) => {
    try {
      return timeLimited(() => read(value))
    } catch (error) {
      if (isTimeout(error)) return problem("it takes too long to check")
      return error instanceof RangeError
        ? problem("it is nested too deeply")
        : problem(visible(`the schema failed: ${String(error)}`))
    }
  }

const checkOf = (
  schema: Schema.ConstraintDecoder<unknown>,
  options: SchemaAST.ParseOptions = {},
  { decodeUnknownResult, formatIssues } = ownCopy
): Read => {
  const decode = decodeUnknownResult(schema, { errors: "all", ...options })
  const issuesOf = formatIssues()
  return guarded((value) => Result.mapError(decode(value), ({ issue }) => problemsOf(issuesOf(issue).issues)))
}

const standardCheckOf = ({ "~standard": standard }: StandardSchema): Read =>
  guarded((value) => {
    const result = standard.validate(value)
    if (result instanceof Promise) {
      result.catch(() => {})
      return problem("the schema checks asynchronously, which is not supported")
    }
    if (result.issues === undefined) return Result.succeed(result.value)
    const problems = problemsOf(result.issues)
    return problems.length === 0 ? problem("is wrong") : Result.fail(problems)
  })

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

/** Without `$schema`, a schema with `definitions` alone is of the older draft. */
const isDraft07 = ({ $schema, definitions, $defs }: Json) =>
  Predicate.isString($schema) ? $schema.includes("draft-07") : definitions !== undefined && $defs === undefined

const imported = (json: Json) => {
  const document = isDraft07(json) ? JsonSchema.fromSchemaDraft07(json) : JsonSchema.fromSchemaDraft2020_12(json)
  return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" })
}

/**
 * Compiles JSON Schema of draft 2020-12 or 07 to a check of values. `format` is an annotation, as in the standard. Fails with
 * the first keyword that Effect cannot check (`not`, `if`, references to elsewhere): then nothing is checked.
 */
const jsonSchemaCheck = (outputSchema: Json): Result.Result<Read, string> =>
  Result.try({
    try: () => {
      // A schema made of JSON Schema needs no services, which its type does not show.
      const schema = imported(outputSchema) as unknown as Schema.ConstraintDecoder<unknown>
      const check = checkOf(schema, { onExcessProperty: "error" })
      // The value itself, and not what the decoding makes of it.
      return (value) => Result.map(check(value), () => value)
    },
    catch: (error) =>
      String(error)
        .replace(/^Error: /, "")
        .split("\n")[0] ?? ""
  })

// Objects in JSON Schema of a library are closed: APIs that hand a schema to a model take no other (Codex, as OpenAI's API:
// 400), and libraries leave them open where more is ignored. The check stays the library's.

const records = ["properties", "$defs", "definitions"]
const lists = ["anyOf", "oneOf", "prefixItems"]
const singles = ["items", "additionalProperties"]

const closedChild = (keyword: string, child: unknown): unknown => {
  if (records.includes(keyword) && isObject(child)) {
    return Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, closedNode(schema)]))
  }
  if (lists.includes(keyword) && Array.isArray(child)) return child.map(closedNode)
  return singles.includes(keyword) ? closedNode(child) : child
}

const closedNode = (node: unknown): unknown => {
  if (!isObject(node)) return node
  const children = Object.fromEntries(
    Object.entries(node).map(([keyword, child]) => [keyword, closedChild(keyword, child)])
  )
  const isOpen = isObject(node["properties"]) && !("additionalProperties" in node) && !("patternProperties" in node)
  return isOpen ? { ...children, additionalProperties: false } : children
}

/** Parts of an `allOf` complete each other: a schema that has one stays as it is. */
const closed = (schema: unknown): unknown => (JSON.stringify(schema).includes('"allOf"') ? schema : closedNode(schema))

export interface OutputForm {
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly read: Read
  /** Why the answers are not checked, for a JSON Schema of which a keyword cannot be checked. */
  readonly unchecked?: string
}

type Formed = Result.Result<OutputForm, InvalidParams>

const refuse = (problem: string): Result.Result<never, InvalidParams> =>
  Result.fail(new InvalidParams({ option: "outputSchema", problem }))

const notASchema = "is not a JSON Schema, Standard Schema or Effect Schema"

const jsonProblemOf = (value: unknown): string | undefined => {
  if (!isObject(value)) return notASchema
  return isJson(value) ? jsonSchemaProblem(value) : "Expected JSON"
}

const withJson = (jsonSchema: unknown, read: Read): Formed => {
  const problem = jsonProblemOf(jsonSchema)
  return problem === undefined ? Result.succeed({ jsonSchema: jsonSchema as Json, read }) : refuse(problem)
}

/** A Standard Schema of any version of a library. */
interface PartialStandard {
  readonly "~standard": Partial<StandardSchema["~standard"]>
}

const isStandard = (value: unknown): value is PartialStandard =>
  Predicate.hasProperty(value, "~standard") && Predicate.isObject(value["~standard"])

const hasJsonSchema = (schema: PartialStandard): schema is StandardSchema =>
  Predicate.isFunction(schema["~standard"].jsonSchema?.input) && Predicate.isFunction(schema["~standard"].validate)

const cures: Readonly<Record<string, string>> = {
  zod: "update Zod to 4.2 or newer",
  arktype: "update ArkType to 2.1.28 or newer",
  valibot: "pass `toStandardJsonSchema(schema)` of @valibot/to-json-schema"
}

const standardForm = (schema: PartialStandard): Formed => {
  if (!hasJsonSchema(schema)) {
    const vendor: unknown = schema["~standard"].vendor
    const name = Predicate.isString(vendor) ? vendor : "an unknown library"
    const cure = Object.hasOwn(cures, name) ? `${cures[name]}, or ` : ""
    return refuse(`a schema of ${JSON.stringify(clip(name, 50))} that gives no JSON Schema: ${cure}pass a JSON Schema`)
  }
  const json = Result.try({
    try: () => schema["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
    catch: (error) => clip(error instanceof Error ? error.message : String(error))
  })
  if (Result.isFailure(json)) return refuse(`its library cannot make JSON Schema of it: ${json.failure}`)
  return isJson(json.success) ? withJson(closed(json.success), standardCheckOf(schema)) : refuse("Expected JSON")
}

const effectForm = (schema: Schema.Top): Formed => {
  const copy = makerOf(schema)
  if (copy === undefined) return refuse(`it ${ofAnotherCopy()}; or pass its JSON Schema`)
  const made = Result.try({
    // Its services are `never` by the type of `OutputSchema`.
    try: () => {
      const codec = copy.toCodecJson(schema) as unknown as Schema.ConstraintDecoder<unknown>
      const { schema: root, definitions } = copy.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
      return {
        json: Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions },
        read: checkOf(codec, {}, copy)
      }
    },
    catch: (error) => clip(error instanceof Error ? error.message : String(error))
  })
  if (Result.isFailure(made)) return refuse(`Effect cannot make JSON Schema of it: ${made.failure}`)
  return withJson(made.success.json, made.success.read)
}

/** Only for schemas of a caller: those of a library may accept everything. */
const mistakeIn = (schema: Json) => {
  const [name, value] = Object.entries(schema).find(([, each]) => Schema.isSchema(each) || isStandard(each)) ?? []
  if (name === undefined || name === "schema") return wrapperProblem(schema)
  const made = Schema.isSchema(value) ? "Schema.Struct" : "z.object"
  return `is an object of schemas, and no schema: make it one, such as ${made}({ ${clip(name, 50)}: … })`
}

const jsonForm = (schema: Json): Formed => {
  const problem = mistakeIn(schema)
  if (problem !== undefined) return refuse(problem)
  return Result.map(withJson(schema, Result.succeed), (form) => {
    const check = jsonSchemaCheck(form.jsonSchema)
    return Result.isSuccess(check) ? { ...form, read: check.success } : { ...form, unchecked: clip(check.failure) }
  })
}

/** Checks the input of a caller, which is an `OutputSchema` for its compiler. */
export const outputForm = (input: unknown): Formed => {
  if (Schema.isSchema(input)) return effectForm(input)
  if (isStandard(input)) return standardForm(input)
  return isObject(input) ? jsonForm(input) : refuse(notASchema)
}

/** Parameters whose `outputSchema`, if they have one, is JSON Schema. */
export const withJsonSchema = (params: unknown): Result.Result<unknown, InvalidParams> => {
  if (!isObject(params) || params["outputSchema"] === undefined) return Result.succeed(params)
  const form = outputForm(params["outputSchema"])
  return Result.map(form, ({ jsonSchema }) => ({ ...params, outputSchema: jsonSchema }))
}
