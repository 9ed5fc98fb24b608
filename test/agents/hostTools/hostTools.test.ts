/** Valid and invalid functions of the host. */
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { HostTool } from "../../../src/contract/HostTool.ts"
import { tool } from "./tools.ts"

describe("HostTool", () => {
  const good = tool("good", () => 1)
  const table: ReadonlyArray<readonly [string, unknown, boolean]> = [
    ["a tool", good, true],
    ["any schema of an object", { ...good, inputSchema: {} }, true],
    ["a schema that says so", { ...good, inputSchema: { type: "object", properties: { a: true }, oneOf: [] } }, true],
    ["a schema of something else", { ...good, inputSchema: { type: "string" } }, false],
    ["properties that are not schemas", { ...good, inputSchema: { properties: { a: "string" } } }, false],
    ["required with entries that are not names", { ...good, inputSchema: { required: [1] } }, false],
    ["a name with a space", { ...good, name: "not good" }, false],
    ["a tool without a function", { ...good, run: undefined }, false]
  ]
  it.each(table)("%s", (_, input, expected) => {
    assert.strictEqual(Schema.is(HostTool)(input), expected)
  })
})
