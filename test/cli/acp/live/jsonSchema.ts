/** As much of JSON Schema as the schema of the protocol uses: what is wrong with a value. Unknown fields are welcome. */
import { Predicate } from "effect"

export interface JsonSchema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly minimum?: number
  readonly "x-method"?: string
  readonly "x-side"?: string
}

export type Definitions = Readonly<Record<string, JsonSchema>>

const typeOf = (value: unknown) => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}

const hasType = (type: string | ReadonlyArray<string>, value: unknown) => {
  const input = typeOf(value)
  return [type].flat().some((name) => name === input || (name === "number" && input === "integer"))
}

export const problemsOf = (definitions: Definitions, schema: JsonSchema, value: unknown, at = "$"): Array<string> => {
  const inside = (part: JsonSchema, inner: unknown, path = at) => problemsOf(definitions, part, inner, path)
  const problems: Array<string> = []
  const name = schema.$ref?.replace("#/$defs/", "")
  if (name !== undefined) problems.push(...inside(definitions[name] ?? { enum: [] }, value))
  if ("const" in schema && schema.const !== value) problems.push(`${at} is not ${JSON.stringify(schema.const)}`)
  if (schema.enum?.includes(value) === false) problems.push(`${at} is not one of ${JSON.stringify(schema.enum)}`)
  if (schema.type !== undefined && !hasType(schema.type, value)) problems.push(`${at} is not ${schema.type}`)
  if (typeof value === "number" && value < (schema.minimum ?? value)) problems.push(`${at} is too small`)
  for (const part of schema.allOf ?? []) problems.push(...inside(part, value))
  for (const parts of [schema.anyOf, schema.oneOf]) {
    const found = parts?.map((part) => inside(part, value))
    if (found?.every((each) => each.length > 0)) problems.push(`${at} is not one of them: ${found.flat().join("; ")}`)
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      if (schema.items !== undefined) problems.push(...inside(schema.items, item, `${at}[${index}]`))
    })
  } else if (Predicate.isObject(value)) {
    for (const key of schema.required ?? []) if (!(key in value)) problems.push(`${at}.${key} is missing`)
    for (const [key, part] of Object.entries(schema.properties ?? {})) {
      if (Predicate.hasProperty(value, key)) problems.push(...inside(part, value[key], `${at}.${key}`))
    }
  }
  return problems
}
