/**
 * The schema of a line → its decoder. Lines come by the hundred thousand, so that the schema is compiled when it is
 * first used; where the host forbids code to be made at run time, it is interpreted: the same result, later. A wrong type
 * in one field shall not cost the line: `decodeLeniently` leaves the field at fault out and tries the rest again, which
 * costs nothing in a healthy run.
 */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/**
 * Decodes to a copy that has the known fields and no more. `frequent` are those of its lines that come most, and of
 * which nothing is passed on whole: they are looked at and not copied, which costs half.
 */
export const wireDecoder = <
  S extends Schema.ConstraintDecoder<unknown>,
  F extends Schema.Constraint & { readonly Type: S["Type"] } = never
>(
  schema: S,
  frequent?: F
): ((json: unknown) => Result.Result<S["Type"], Schema.SchemaError>) => {
  SchemaJITCompiler.enable(schema.ast)
  const decode = Schema.decodeUnknownResult(schema)
  if (frequent === undefined) return decode
  SchemaJITCompiler.enable(frequent.ast)
  const isFrequent = Schema.is(frequent)
  return (json) => (isFrequent(json) ? Result.succeed(json) : decode(json))
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A line with more faults than this is of an unknown kind. */
const mostRepairs = 8

type Path = ReadonlyArray<PropertyKey>

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }) =>
  typeof segment === "object" ? segment.key : segment

/** The deepest place at fault that is there; a missing key is the fault of what should have it. */
const faultOf = (json: unknown, error: Schema.SchemaError): Path | undefined => {
  const paths = issues(error.issue).issues.map(({ path = [] }) => path.map(keyOf))
  return paths
    .map((path) => (isThere(json, path) ? path : path.slice(0, -1)))
    .filter((path) => path.length > 0 && path[0] !== "type" && path[0] !== "subtype")
    .sort((a, b) => b.length - a.length)[0]
}

const isThere = (json: unknown, [key, ...rest]: Path): boolean => {
  if (key === undefined) return true
  return Predicate.hasProperty(json, key) && isThere(json[key], rest)
}

const without = (json: unknown, [key, ...rest]: Path): unknown => {
  if (Array.isArray(json)) {
    if (rest.length === 0) return json.filter((_, index) => index !== Number(key))
    return json.map((item, index) => (index === Number(key) ? without(item, rest) : item))
  }
  if (key === undefined || !Predicate.isObject(json)) return json
  const { [key]: value, ...others } = json as Record<PropertyKey, unknown> // its keys are not known
  return rest.length === 0 ? others : { ...others, [key]: without(value, rest) }
}

export const decodeLeniently =
  <Wire>(decode: (json: unknown) => Result.Result<Wire, Schema.SchemaError>) =>
  (json: unknown): Result.Result<Wire, Schema.SchemaError> => {
    let result = decode(json)
    let rest = json
    for (let repairs = 0; Result.isFailure(result) && repairs < mostRepairs; repairs++) {
      const fault = faultOf(rest, result.failure)
      if (fault === undefined) return result
      rest = without(rest, fault)
      result = decode(rest)
    }
    return result
  }
