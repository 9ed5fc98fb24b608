/**
 * JSON Schema of a library → the same with objects that name all their properties: those who hand a schema to a model take
 * no other (Codex, as OpenAI's API: 400), and libraries leave them open where more is ignored. The check stays the library's.
 */
import { Predicate } from "effect"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

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
export const closed = (schema: unknown): unknown =>
  JSON.stringify(schema).includes('"allOf"') ? schema : closedNode(schema)
