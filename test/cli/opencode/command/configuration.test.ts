/** Permissions, and the caller's own configuration in the environment, into which ours is merged. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/opencode/command.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../../src/contract/AgentOptions.ts"
import type { Plan } from "../../../../src/contract/Plan.ts"

type Params = Partial<AgentExecuteParams>
type Env = Readonly<Record<string, string>>

const planned = (params: Params, options: AgentOptions = {}, env: Env = {}): Plan => {
  const context = { env, workingDirectory: "/workspace", privateDirectory: "/private" }
  return Result.getOrThrow(plan({ prompt: "hello", ...params }, options, context))
}

const configOf = ({ env }: Plan) => JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "null")

describe("permissions", () => {
  const rules = (params: Params, env: Env = {}) => {
    const input = planned(params, {}, env)
    return {
      all: JSON.parse(input.env["OPENCODE_PERMISSION"] ?? "null"),
      build: configOf(input)?.agent?.build?.permission
    }
  }

  const table: ReadonlyArray<readonly [string, Params, unknown]> = [
    ["default", { permissionMode: "default" }, null],
    ["bypass", { permissionMode: "bypass" }, null],
    ["plan", { permissionMode: "plan" }, { edit: "deny", bash: "deny" }],
    ["accept-edits", { permissionMode: "accept-edits" }, { edit: "allow" }],
    ["allowed", { allowedTools: ["bash", "tiny_*"] }, { bash: "allow", "tiny_*": "allow" }],
    ["disallowed", { disallowedTools: ["webfetch"] }, { webfetch: "deny" }],
    ["both", { allowedTools: ["bash"], disallowedTools: ["bash"] }, { bash: "deny" }],
    ["allowed in plan", { permissionMode: "plan", allowedTools: ["bash", "edit"] }, { edit: "deny", bash: "deny" }],
    ["none", { allowedTools: [], disallowedTools: [], additionalDirectories: [] }, null],
    [
      "directories",
      { additionalDirectories: ["/data", "../other/"] },
      { external_directory: { "/data/*": "allow", "/other/*": "allow" } }
    ],
    [
      "directories, where any is allowed",
      { allowedTools: ["external_directory"], additionalDirectories: ["/data"] },
      { external_directory: "allow" }
    ]
  ]
  it.each(table)("%s", (_, params, expected) => {
    const { all, build } = rules(params)
    assert.deepStrictEqual(all, expected)
    assert.deepStrictEqual(build ?? null, expected)
  })

  const denied: ReadonlyArray<readonly [string, Params, ReadonlyArray<string>]> = [
    ["by name", { permissionMode: "accept-edits", allowedTools: ["*"], disallowedTools: ["edit"] }, ["*", "edit"]],
    ["after it was allowed", { allowedTools: ["bash", "*"], disallowedTools: ["bash"] }, ["*", "bash"]],
    ["by the mode", { permissionMode: "plan", allowedTools: ["edit", "*"] }, ["*", "edit", "bash"]]
  ]
  it.each(denied)(
    "the last rule that fits counts: what is denied %s stands behind what allows all",
    (_, params, order) => {
      assert.deepStrictEqual(Object.keys(rules(params).all), order)
    }
  )

  it("hold for every agent that is there by itself", () => {
    const { agent } = configOf(planned({ disallowedTools: ["bash"] }))
    assert.deepStrictEqual(Object.keys(agent), ["build", "plan", "general", "explore"])
    assert.deepStrictEqual(agent.explore, { permission: { bash: "deny" } })
  })

  it("stand behind those the caller has, since the last one counts", () => {
    const env = { OPENCODE_PERMISSION: '{"bash":"ask","*":"allow","external_directory":{"/a/*":"deny"}}' }
    const { all } = rules({ disallowedTools: ["bash"], additionalDirectories: ["/b"] }, env)
    assert.strictEqual(
      JSON.stringify(all),
      '{"*":"allow","external_directory":{"/a/*":"deny","/b/*":"allow"},"bash":"deny"}'
    )
  })
})

describe("the caller's configuration", () => {
  const content = `{
    // a comment, "with quotes"
    "model": "fake/m1", "provider": { "fake": { "options": { "apiKey": "{env:KEY}", "baseURL": "http://x//y" } } },
    "agent": { "build": { "steps": 3, "permission": { "bash": "ask" } } }, /* another */
    "instructions": ["a.md"], "mcp": { "own": { "type": "local" }, "tiny": { "type": "remote", "url": "http://x" }, },
  }`

  it("is kept, and ours is merged into it", () => {
    const params = { appendSystemPrompt: "x", disallowedTools: ["bash"], mcpServers: { tiny: { command: "tiny" } } }
    const input = configOf(planned(params, {}, { OPENCODE_CONFIG_CONTENT: content }))
    assert.strictEqual(input.model, "fake/m1")
    assert.deepStrictEqual(input.provider.fake.options, { apiKey: "{env:KEY}", baseURL: "http://x//y" })
    assert.deepStrictEqual(input.agent.build, { steps: 3, permission: { bash: "deny" } })
    assert.deepStrictEqual(input.instructions, ["a.md", "/private/append-system-prompt.md"])
    assert.deepStrictEqual(Object.keys(input.mcp), ["own", "tiny"])
    assert.deepStrictEqual(input.mcp.tiny, { type: "local", command: ["tiny"], environment: {}, enabled: true })
  })

  it("is not touched when there is nothing to add", () => {
    assert.deepStrictEqual(planned({}, {}, { OPENCODE_CONFIG_CONTENT: content }).env, {})
  })

  it("of the project is not read where the directory is not trusted", () => {
    assert.deepStrictEqual(planned({ trustWorkspace: false }).env, {
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_EXTERNAL_SKILLS: "1"
    })
    assert.deepStrictEqual(planned({ trustWorkspace: true }).env, {})
  })
})
