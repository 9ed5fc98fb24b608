/** `reins schema`: the JSON Schema of an event, for readers of `--json` in other languages. */
import { Console, JsonSchema, Schema } from "effect"
import { Command } from "effect/cli"
import { AgentEvent } from "../contract/AgentEvent.ts"

/** JSON Schema 2020-12, with definitions under `$defs`. */
export const eventSchema = (): Record<string, unknown> => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(AgentEvent)
  return { $schema: JsonSchema.META_SCHEMA_URI_DRAFT_2020_12, ...schema, $defs: definitions }
}

export const schema = Command.make("schema", {}, () => Console.log(JSON.stringify(eventSchema(), null, 2))).pipe(
  Command.withShortDescription("Print the JSON Schema of an event"),
  Command.withDescription("Prints the JSON Schema (2020-12) of one line of `reins run --json`."),
  Command.withExamples([{ command: "reins schema > event.schema.json", description: "Save it for a validator" }])
)
