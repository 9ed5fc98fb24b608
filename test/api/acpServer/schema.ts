/** Messages to a client, against the JSON Schema that the protocol's makers publish. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert } from "vitest"
import { type Definitions, problemsOf } from "../../cli/acp/live/jsonSchema.ts"

const path = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json")
const { $defs: definitions }: { readonly $defs: Definitions } = JSON.parse(readFileSync(path, "utf8"))

/** `name`: of a definition, such as `SessionNotification`. */
export const assertConforms = (name: string, value: unknown) => {
  const definition = definitions[name] ?? assert.fail(`${name} is not defined`)
  assert.deepStrictEqual(problemsOf(definitions, definition, value), [], JSON.stringify(value))
}
