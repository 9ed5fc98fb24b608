/**
 * JSON Schema of draft 2020-12 or 07 → a check of values, as Effect reads it. `format` is an annotation, as in the standard.
 * Effect names the keywords it cannot check (`not`, `if`, references to elsewhere); then nothing is checked, and a notice
 * says so.
 */
import { JsonSchema, Predicate, Result, type Schema, SchemaRepresentation } from "effect"
import { checkOf, type Read } from "./reading.ts"

type Json = Readonly<Record<string, unknown>>

/** Without `$schema`, a schema is of the older draft by where it keeps its definitions. */
const isDraft07 = ({ $schema, definitions, $defs }: Json) =>
  Predicate.isString($schema) ? $schema.includes("draft-07") : definitions !== undefined && $defs === undefined

const imported = (json: Json) => {
  const document = isDraft07(json) ? JsonSchema.fromSchemaDraft07(json) : JsonSchema.fromSchemaDraft2020_12(json)
  return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" })
}

/** Compiled for one run or turn. A failure: why the answers are not checked. */
export const jsonSchemaCheck = (outputSchema: Json): Result.Result<Read, string> =>
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
