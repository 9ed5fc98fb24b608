/** The parameters of a call over the defaults of the agent, by name. */
import { assert, describe, it } from "vitest"
import { withDefaults } from "../../src/contract/AgentOptions.ts"

const defaults = {
  model: "opus",
  workingDirectory: "/repo",
  allowedTools: ["Read"],
  env: { A: "1", B: "1" },
  timeouts: { idle: 1_000, total: 5_000 },
  mcpServers: { db: { command: "db" } }
} as const

describe("withDefaults", () => {
  it.each([
    ["nothing", {}, {}],
    ["another value", { model: "haiku" }, { model: "haiku" }],
    ["undefined", { model: undefined }, {}],
    ["a list, whole", { allowedTools: [] }, { allowedTools: [] }],
    ["a variable", { env: { B: "2" } }, { env: { A: "1", B: "2" } }],
    ["a variable to remove", { env: { A: undefined } }, { env: { A: undefined, B: "1" } }],
    ["a time limit", { timeouts: { idle: 2_000, total: undefined } }, { timeouts: { idle: 2_000, total: 5_000 } }],
    [
      "a server",
      { mcpServers: { web: { url: "http://x" } } },
      { mcpServers: { db: { command: "db" }, web: { url: "http://x" } } }
    ],
    [
      "a server of the same name, whole",
      { mcpServers: { db: { url: "http://x" } } },
      { mcpServers: { db: { url: "http://x" } } }
    ],
    ["invalid variables, for the parser", { env: "A=1" }, { env: "A=1" }]
  ])("%s", (_, params, expected) => {
    const merged = withDefaults(defaults, { prompt: "x", ...params })
    assert.deepStrictEqual(merged, { ...defaults, prompt: "x", ...expected })
    assert.deepStrictEqual(withDefaults(defaults, merged), merged)
  })

  it("leaves values that are not objects to the parser, and changes nothing without defaults", () => {
    for (const params of [undefined, null, "x", ["x"]]) assert.strictEqual(withDefaults(defaults, params), params)
    const params = { prompt: "x", model: undefined }
    assert.strictEqual(withDefaults(undefined, params), params)
  })
})
