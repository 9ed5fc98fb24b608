/** How `opencode acp` is started: what is asked for, allowed and denied, by the mode, and what is refused by name. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { livePlan } from "../../../../src/cli/opencode/command.ts"
import { liveRulesOf } from "../../../../src/cli/opencode/live/permissions.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

const context = { env: {}, workingDirectory: "/work", privateDirectory: "/private" }

const planned = (params: AgentOpenParams, env: Readonly<Record<string, string>> = {}) => {
  const { args, env: input, files } = Result.getOrThrow(livePlan(params, {}, { ...context, env }))
  const { OPENCODE_CONFIG_CONTENT: config = "", OPENCODE_SERVER_PASSWORD: password = "", ...rest } = input
  return { args: args.map(({ text }) => text), config: JSON.parse(config), password, env: rest, files }
}

describe("the command", () => {
  it("serves nothing without a password, which is new each time", () => {
    assert.deepStrictEqual(planned({}).args, ["acp"])
    assert.isAtLeast(planned({}).password.length, 24)
    assert.notStrictEqual(planned({}).password, planned({}).password)
    assert.strictEqual(planned({}, { OPENCODE_SERVER_PASSWORD: "mine" }).password, "mine")
  })

  it("has no question tool, and obeys no project that is not trusted", () => {
    assert.strictEqual(planned({}, { OPENCODE_ENABLE_QUESTION_TOOL: "1" }).env["OPENCODE_ENABLE_QUESTION_TOOL"], "0")
    assert.property(planned({ trustWorkspace: false }).env, "OPENCODE_DISABLE_PROJECT_CONFIG")
    assert.notProperty(planned({}).env, "OPENCODE_DISABLE_PROJECT_CONFIG")
  })

  it("keeps the caller's configuration, and has the prompt for both modes", () => {
    const { config, files } = planned({ systemPrompt: "be" }, { OPENCODE_CONFIG_CONTENT: '{"model":"a/b"}' })
    assert.strictEqual(config.model, "a/b")
    assert.strictEqual(config.agent.build.prompt, config.agent.plan.prompt)
    assert.deepStrictEqual(files, [{ name: "system-prompt.md", content: "be" }])
  })

  it("has no server and no secret: they are for the protocol", () => {
    const { config, files } = planned({ mcpServers: { x: { command: "c", env: { KEY: "s3cret" } } } })
    assert.notProperty(config, "mcp")
    assert.deepStrictEqual(files, [])
  })

  it.each([
    ["extraArgs", { extraArgs: ["--port=1"] }],
    ["model", { model: "m1" }],
    ["forkSession", { forkSession: true }],
    ["allowedTools", { allowedTools: ["write"] }]
  ])("refuses %s that it would misread", (option, params) => {
    const plan = livePlan(params, {}, context)
    assert.deepInclude(Result.isFailure(plan) ? plan.failure : {}, { _tag: "InvalidParams", option })
  })
})

describe("rules", () => {
  const rules = (params: AgentOpenParams) => liveRulesOf(params, "/work")

  it("ask for what the mode does not allow, and sub-agents cannot ask", () => {
    const { main, plan, subAgents } = rules({})
    assert.deepInclude(main, { "*": "ask", grep: "allow", question: "deny" })
    assert.deepInclude(plan, { "*": "ask", edit: "deny" })
    assert.deepInclude(subAgents, { "*": "deny", task: "deny" })
    assert.notInclude(JSON.stringify(subAgents), '"ask"')
    assert.deepStrictEqual(rules({ permissionMode: "accept-edits" }).subAgents["edit"], "allow")
  })

  it("of bypass allow everything but what is disallowed", () => {
    const { main, subAgents } = rules({ permissionMode: "bypass", disallowedTools: ["bash"] })
    assert.deepStrictEqual(main, { "*": "allow", question: "deny", bash: "deny" })
    assert.deepStrictEqual(subAgents, main)
  })

  it("put the caller's behind the mode's, where they count, and what is disallowed behind all", () => {
    const { main, plan } = rules({ allowedTools: ["bash", "edit"], disallowedTools: ["webfetch"] })
    assert.deepStrictEqual(Object.keys(main).slice(-3), ["bash", "edit", "webfetch"])
    assert.strictEqual(plan["edit"], "deny")
  })

  it("allow the directories that were named, and ask for all others", () => {
    const { main, subAgents } = rules({ additionalDirectories: ["../more"] })
    assert.deepStrictEqual(main["external_directory"], { "*": "ask", "/more/*": "allow" })
    assert.deepStrictEqual(subAgents["external_directory"], { "*": "deny", "/more/*": "allow" })
  })
})
