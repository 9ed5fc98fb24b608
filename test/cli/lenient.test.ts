/** A wrong type in one field costs that field; a line of another kind stays unknown. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { decodeWire } from "../../src/cli/claude/wire.ts"
import { decodeLeniently } from "../../src/cli/wireDecoder.ts"

const decode = decodeLeniently(decodeWire)
const result = { type: "result", is_error: false, result: "done" }
const init = { type: "system", subtype: "init", session_id: "s" }

describe("a line with a field of the wrong type", () => {
  const table: ReadonlyArray<readonly [string, object, object]> = [
    ["a text for a number", { ...result, num_turns: "3" }, result],
    ["a text for a list", { ...result, permission_denials: "none" }, result],
    [
      "one field of one entry",
      {
        ...result,
        permission_denials: [
          { tool_name: 1, tool_use_id: "a" },
          { tool_name: "Bash", tool_use_id: "b" }
        ]
      },
      { ...result, permission_denials: [{ tool_use_id: "a" }, { tool_name: "Bash", tool_use_id: "b" }] }
    ],
    [
      "an entry that lacks a field",
      { ...init, mcp_servers: [{ name: "x" }, { name: "y", status: "connected" }], tools: [1, "Bash"] },
      { ...init, mcp_servers: [{ name: "y", status: "connected" }], tools: ["Bash"] }
    ]
  ]

  it.each(table)("keeps the rest: %s", (_, line, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(decode(line)), expected)
  })
})

describe("a line of an unknown kind", () => {
  it.each([
    [{ type: "hologram" }],
    [{ type: "system", subtype: "new" }],
    [{ type: "assistant", message: "no object" }],
    [{ type: 7 }],
    [{}],
    [[]],
    [5],
    [null]
  ])("is not bent into one that is: %j", (line) => {
    assert.isTrue(Result.isFailure(decode(line)))
  })
})
