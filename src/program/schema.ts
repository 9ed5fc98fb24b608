/** `reins schema`: the JSON Schema of an event, for readers of `--json` in other languages. */
import { Console, JsonSchema, Schema } from "effect"
import { Command } from "effect/cli"
import { AgentEvent } from "../contract/AgentEvent.ts"
import descriptions from "./descriptions.json" with { type: "json" }

/** By definition and field. `npm run docs:generate` generates the file from the comments in `types/`. */
const described: Readonly<Record<string, Readonly<Record<string, string>>>> = descriptions

const fieldWith = (description: string | undefined, field: unknown) =>
  description === undefined ? field : { ...Object(field), description }

const withDescriptions = (definition: JsonSchema.JsonSchema, name: string): JsonSchema.JsonSchema => {
  const fields: Readonly<Record<string, unknown>> = Object(definition["properties"])
  const properties = Object.entries(fields).map(([field, schema]) => [
    field,
    fieldWith(described[name]?.[field], schema)
  ])
  return properties.length === 0 ? definition : { ...definition, properties: Object.fromEntries(properties) }
}

/** JSON Schema 2020-12, with definitions under `$defs`. */
export const eventSchema = () => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(AgentEvent)
  const $defs = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, withDescriptions(definition, name)])
  )
  return { $schema: JsonSchema.META_SCHEMA_URI_DRAFT_2020_12, ...schema, $defs }
}

export const schema = Command.make("schema", {}, () => Console.log(JSON.stringify(eventSchema(), null, 2))).pipe(
  Command.withShortDescription("Print the JSON Schema of an event"),
  Command.withDescription("Prints the JSON Schema (2020-12) of one line of `reins run --json`."),
  Command.withExamples([{ command: "reins schema > event.schema.json", description: "Save it for a validator" }])
)
