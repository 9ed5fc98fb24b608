/** Checks whether a JSON object is a JSON Schema (2020-12 or 07), as far as its keywords have a form; pure. */
import { Predicate } from "effect"

/** Returns the problem of a value as a sentence; undefined for a valid value. */
type Form = (value: unknown, path: string, depth: number) => string | undefined

const types = ["array", "boolean", "integer", "null", "number", "object", "string"]
const maxDepth = 200

const form =
  (isRight: (value: unknown) => boolean, expected: string): Form =>
  (value, path) =>
    isRight(value) ? undefined : `${path} is not ${expected}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

const isExpression = (value: unknown) => {
  try {
    return Predicate.isString(value) && new RegExp(value, "u") instanceof RegExp
  } catch {
    return false
  }
}

const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1")

const all = (
  entries: Iterable<readonly [string | number, unknown]>,
  path: string,
  depth: number
): string | undefined => {
  for (const [key, value] of entries) {
    const problem = schema(value, `${path}/${escaped(String(key))}`, depth)
    if (problem !== undefined) return problem
  }
  return undefined
}

const record: Form = (value, path, depth) =>
  isObject(value) ? all(Object.entries(value), path, depth) : `${path} is not an object of schemas`

const list: Form = (value, path, depth) =>
  Array.isArray(value) && value.length > 0 ? all(value.entries(), path, depth) : `${path} is not a list of schemas`

const schema: Form = (value, path, depth) => {
  if (Predicate.isBoolean(value)) return undefined
  if (!isObject(value)) return `${path} is not a schema`
  if (depth > maxDepth) return `${path} is nested more than ${maxDepth} deep`
  for (const [key, child] of Object.entries(value)) {
    const problem = forms.get(key)?.(child, `${path}/${escaped(key)}`, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

const isType = (value: unknown) => Predicate.isString(value) && types.includes(value)
const isTypes = (value: unknown) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType))
const isStrings = (value: unknown) => Array.isArray(value) && value.every(Predicate.isString)

const forKeys = (keys: string, one: Form): ReadonlyArray<readonly [string, Form]> =>
  keys.split(" ").map((key) => [key, one])

const forms: ReadonlyMap<string, Form> = new Map([
  ...forKeys("properties patternProperties $defs definitions dependentSchemas", record),
  ...forKeys("allOf anyOf oneOf prefixItems", list),
  ...forKeys("additionalProperties additionalItems not if then else contains propertyNames", schema),
  ...forKeys("unevaluatedItems unevaluatedProperties", schema),
  [
    "items",
    (value, path, depth) => (Array.isArray(value) ? all(value.entries(), path, depth) : schema(value, path, depth))
  ],
  ["type", form(isTypes, `one of ${types.join(", ")}, or a list of these`)],
  ["enum", form(Array.isArray, "a list")],
  ["required", form(isStrings, "a list of names")],
  ["pattern", form(isExpression, "a regular expression")],
  ...forKeys(
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    form(isCount, "a whole number of at least 0")
  ),
  ...forKeys("minimum maximum exclusiveMinimum exclusiveMaximum", form(Number.isFinite, "a number")),
  ["multipleOf", form((value) => Number.isFinite(value) && Number(value) > 0, "a number above 0")],
  ...forKeys("uniqueItems deprecated readOnly writeOnly", form(Predicate.isBoolean, "true or false")),
  ...forKeys("$ref $id $schema $anchor title description format", form(Predicate.isString, "a text"))
])

/** Keywords without a form. Notes for people, such as a description, do not restrict a value. */
const otherKeywords = `const dependencies dependentRequired contentEncoding contentMediaType contentSchema $dynamicRef
$dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment id default examples`.split(/\s/)
const keywords: ReadonlySet<string> = new Set([...forms.keys(), ...otherKeywords])
const notes: ReadonlySet<string> = new Set(
  "title description $comment default examples deprecated readOnly writeOnly id $id $schema".split(" ")
)

/** The reason why an object was hardly meant as a schema: it would accept every answer. */
export const wrapperProblem = (value: Readonly<Record<string, unknown>>): string | undefined => {
  const present = Object.keys(value).filter((key) => keywords.has(key))
  // As in the options of other libraries.
  const isWrapper = Predicate.isObjectKeyword(value["schema"]) && present.every((key) => notes.has(key))
  if (isWrapper) return 'is an object around a schema: pass what is in its "schema"'
  if (present.length > 0) return undefined
  return 'has no keyword of JSON Schema, such as "type": it would accept every answer'
}

const maxLength = 300

/** The place in a JSON object and why it is not a schema there; undefined for a schema. */
export const jsonSchemaProblem = (value: unknown): string | undefined => {
  const problem = schema(value, "", 0)?.trim()
  return problem === undefined || problem.length <= maxLength ? problem : `…${problem.slice(-maxLength)}`
}
