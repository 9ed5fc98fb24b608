// The descriptions in the JSON Schema of an event: the comments of the members, which are written once, at the types.
import { join } from "node:path"
import { eventSchema } from "../../../src/program/schema.ts"
import { docstringsOf } from "./docstrings.ts"
import { root } from "./pages.ts"

export const descriptionsFile = join(root, "src/program/descriptions.json")

const descriptionsOf = (name: string) => Object.fromEntries(docstringsOf(name).fields)

export const descriptions = (): string => {
  const structs = Object.entries(eventSchema().$defs).filter(([, definition]) => "properties" in definition)
  const described = structs.map(([name]) => [name, descriptionsOf(name)] as const)
  const nonEmpty = described.filter(([, fields]) => Object.keys(fields).length > 0)
  return `${JSON.stringify(Object.fromEntries(nonEmpty), null, 2)}\n`
}
