/** Refusals before anything is started, by name. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/opencode/command.ts"
import { opencode } from "../../../../src/cli/opencode/index.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"

const refusalOf = (params: Partial<AgentExecuteParams>, env: Readonly<Record<string, string>> = {}) => {
  const context = { env, workingDirectory: "/workspace", privateDirectory: "/private" }
  const planned = plan({ prompt: "hello", ...params }, {}, context)
  return Result.isFailure(planned) ? planned.failure : undefined
}

describe("refuses", () => {
  const table: ReadonlyArray<readonly [string, Partial<AgentExecuteParams>, string]> = [
    ["a blank prompt", { prompt: " \n" }, "prompt"],
    ["an empty session", { sessionId: "" }, "sessionId"],
    ["a session like a flag", { sessionId: "--fork" }, "sessionId"],
    ["a fork of nothing", { forkSession: true }, "forkSession"],
    ["a model without a provider", { model: "sonnet" }, "model"],
    ["a model without a name", { model: "anthropic/" }, "model"],
    ["a provider without a name", { model: "/sonnet" }, "model"],
    ["an empty effort", { effort: " " }, "effort"],
    ["a pattern", { allowedTools: ["bash(git *)"] }, "allowedTools"],
    ["an empty permission", { disallowedTools: ["bash", ""] }, "disallowedTools"],
    ["a tool that another permission governs", { disallowedTools: ["write"] }, "disallowedTools"],
    ["a directory with a wildcard", { additionalDirectories: ["/a", "/b*"] }, "additionalDirectories"],
    ["a flag that is an option", { extraArgs: ["--print-logs", "--model=x/y"] }, "extraArgs"],
    ["a flag that breaks the output", { extraArgs: ["--attach", "http://x"] }, "extraArgs"],
    ["short flags that stand together", { extraArgs: ["-tcm"] }, "extraArgs"],
    ["a short flag with its value", { extraArgs: ["-mopenai/gpt"] }, "extraArgs"],
    ["an agent beside ours", { extraArgs: ["--agent=bot"], systemPrompt: "x" }, "extraArgs"],
    ["a separator", { extraArgs: ["--"] }, "extraArgs"]
  ]
  it.each(table)("%s", (_, params, option) => {
    assert.deepInclude(refusalOf(params), { _tag: "InvalidParams", option })
  })

  it.each(["OPENCODE_CONFIG_CONTENT", "OPENCODE_PERMISSION"])("%s that is not a JSON object", (name) => {
    for (const text of ["{ not json", "[]", '"x"', "null", '{"a":1}}']) {
      const refusal = refusalOf({}, { [name]: text })
      assert.deepInclude(refusal, { _tag: "InvalidParams", option: `env "${name}"` })
      assert.notInclude(refusal?.message, "not json")
    }
    for (const text of ["", " ", "{}", '{"a":"//"}']) assert.isUndefined(refusalOf({}, { [name]: text }))
  })

  it("with messages that name the right value", () => {
    assert.strictEqual(refusalOf({ model: "sonnet" })?.message, 'model: "sonnet" is not of the form provider/model')
    assert.strictEqual(
      refusalOf({ disallowedTools: ["write"] })?.message,
      'disallowedTools: "write" is governed by the permission "edit"'
    )
  })

  it("options that the CLI cannot support", () => {
    const missing = ["maxTurns", "maxBudgetUsd", "outputSchema", "fallbackModel", "newSessionId", "settingSources"]
    for (const name of [...missing, "strictMcpServers"])
      assert.isFalse([...opencode.supports].map(String).includes(name))
  })
})
