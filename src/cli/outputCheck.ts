/**
 * Whether an answer meets the `outputSchema` of its run: JSON Schema of draft 2020-12 or 07, as Effect reads it.
 * `format` is an annotation, as in the standard. Effect names the keywords it cannot check (`not`, `if`, references to
 * elsewhere); then nothing is checked, and a notice says so.
 */
import { JsonSchema, Predicate, Result, Schema, SchemaIssue, SchemaRepresentation } from "effect"

export interface OutputCheck {
  /** Why the answers are not checked. */
  readonly unchecked: string | undefined
  /** The problem of the answer, and where; undefined for one that meets the schema, or that is not checked. */
  readonly problemOf: (value: unknown) => string | undefined
}

type Json = Readonly<Record<string, unknown>>

const longestProblem = 300

const clip = (text: string) => (text.length <= longestProblem ? text : `${text.slice(0, longestProblem - 1)}…`)

/** Without `$schema`, a schema is of the older draft by where it keeps its definitions. */
const isDraft07 = ({ $schema, definitions, $defs }: Json) =>
  Predicate.isString($schema) ? $schema.includes("draft-07") : definitions !== undefined && $defs === undefined

const imported = (json: Json) => {
  const document = isDraft07(json) ? JsonSchema.fromSchemaDraft07(json) : JsonSchema.fromSchemaDraft2020_12(json)
  return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" })
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }) =>
  String(typeof segment === "object" ? segment.key : segment)

/** As JSON pointers: `/a/0: is missing`. */
const describe = (error: Schema.SchemaError): string => {
  const { issues } = issuesOf(error.issue)
  const [first] = issues.map(({ path = [], message }) => {
    const pointer = path.map((segment) => `/${keyOf(segment)}`).join("")
    return `${pointer === "" ? "the value" : pointer}: ${message === "Missing key" ? "is missing" : message}`
  })
  return `${clip(first ?? "is wrong")}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""}`
}

/** Compiled for one run. */
export const makeOutputCheck = (outputSchema: Json): OutputCheck => {
  const schema = Result.try({ try: () => imported(outputSchema), catch: String })
  if (Result.isFailure(schema)) {
    const [reason = ""] = schema.failure.replace(/^Error: /, "").split("\n")
    return { unchecked: clip(reason), problemOf: () => undefined }
  }
  // A schema made of JSON Schema needs no services, which its type does not show.
  const check = schema.success as unknown as Schema.ConstraintDecoder<unknown>
  const decode = Schema.decodeUnknownResult(check, { onExcessProperty: "error", errors: "all" })
  return {
    unchecked: undefined,
    problemOf: (value) => {
      // A value too deeply nested to walk through must not be handed on.
      const decoded = Result.try({ try: () => decode(value), catch: () => "it is nested too deeply" })
      if (Result.isFailure(decoded)) return decoded.failure
      return Result.isFailure(decoded.success) ? describe(decoded.success.failure) : undefined
    }
  }
}
