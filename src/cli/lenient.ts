/** Repairs a line of which one field has a wrong type: leaves that field out and tries the rest again. */
import { Predicate, Result, type Schema, SchemaIssue } from "effect"

export type Decode<Wire> = (json: unknown) => Result.Result<Wire, Schema.SchemaError>
const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A line with more faults is of an unknown kind. */
const mostRepairs = 8

type Path = ReadonlyArray<PropertyKey>

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }) =>
  typeof segment === "object" ? segment.key : segment

/** The deepest place at fault that is there; a missing key is the fault of what should have it. */
const faultOf = (json: unknown, error: Schema.SchemaError): Path | undefined => {
  return issues(error.issue)
    .issues.map(({ path = [] }) => path.map(keyOf))
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

/** The usable part of a line that could not be decoded. */
export const repaired = <Wire>(decode: Decode<Wire>, json: unknown, failure: Schema.SchemaError) => {
  let result: Result.Result<Wire, Schema.SchemaError> = Result.fail(failure)
  let rest = json
  for (let repairs = 0; Result.isFailure(result) && repairs < mostRepairs; repairs++) {
    const fault = faultOf(rest, result.failure)
    if (fault === undefined) return result
    rest = without(rest, fault)
    result = decode(rest)
  }
  return result
}
