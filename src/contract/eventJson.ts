/** An event → one line of JSON; pure. Never fails: unknown events are written as they are, too deep values are cut. */
import { Option, Predicate, Schema } from "effect"
import { AgentEvent } from "./AgentEvent.ts"
import { maxDepth } from "./json.ts"

const encodeKnown = Schema.encodeOption(AgentEvent)

const tooDeep = `nested deeper than ${maxDepth}`

const pruned = (value: unknown, depth: number): unknown => {
  if (!Predicate.isObjectOrArray(value)) return value
  if (depth === 0) return tooDeep
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pruned(item, depth - 1)]))
}

const stringify = (value: unknown, indent?: number): string => {
  try {
    return JSON.stringify(value, null, indent)
  } catch {
    return JSON.stringify(pruned(value, maxDepth), null, indent)
  }
}

export const eventJson = (event: AgentEvent): string =>
  stringify(Option.getOrElse(encodeKnown(event), (): unknown => event))

/** Any value on one line; undefined for a value that JSON cannot express. Throws for a BigInt. */
export const plainJson = (value: unknown): string | undefined => stringify(value)

export const prettyJson = (value: unknown): string => stringify(value, 2)
