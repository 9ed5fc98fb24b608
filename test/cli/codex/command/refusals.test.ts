/** Params that are refused before anything is started, each by its name. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/codex/command.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"
import { argv, type Params, planned, privateDirectory, session } from "./plans.ts"

describe("refuses", () => {
  const refused = (params: Params) => {
    const full: AgentExecuteParams = { prompt: "hello", ...params }
    return Result.getOrThrow(Result.flip(plan(full, {}, { env: {}, workingDirectory: "/w", privateDirectory })))
  }

  const invalid: ReadonlyArray<readonly [string, Params, string]> = [
    ["an empty prompt", { prompt: " \n" }, "prompt"],
    ["a session that is not a UUID: a new one would be begun", { sessionId: "my-session" }, "sessionId"],
    ["an empty session", { sessionId: "" }, "sessionId"],
    ["a session that looks like a flag", { sessionId: "--last" }, "sessionId"],
    ["a UUID and more", { sessionId: `${session}0` }, "sessionId"],
    ["an old session that is not kept", { sessionId: session, ephemeral: true }, "ephemeral"],
    ["a fork of nothing", { forkSession: true }, "forkSession"],
    ["a dot in the name of a server", { mcpServers: { "a.b": { command: "x" } } }, "mcpServers"],
    ["an empty name of a server", { mcpServers: { "": { command: "x" } } }, "mcpServers"],
    ["a variable no shell can set", { mcpServers: { a: { command: "x", env: { "A-B": "c" } } } }, "mcpServers"],
    ["a NUL in a variable", { mcpServers: { a: { command: "x", env: { A: "b\0c" } } } }, "mcpServers"],
    ["a flag that is set here", { extraArgs: ["--strict-config", "--json"] }, "extraArgs"],
    ["a flag with its value", { extraArgs: ["--model=x"] }, "extraArgs"],
    ["a short flag with its value", { extraArgs: ["-mgpt-5.5"] }, "extraArgs"],
    ["a short flag and =", { extraArgs: ["-s=read-only"] }, "extraArgs"],
    ["another directory", { extraArgs: ["-C", "/"] }, "extraArgs"],
    ["a key that is set here", { extraArgs: ["-c", "developer_instructions=x"] }, "extraArgs"],
    ["a key at once behind -c", { extraArgs: ["-cmodel=x"] }, "extraArgs"],
    ["a key behind --config=", { extraArgs: ["--config=sandbox_mode=x"] }, "extraArgs"],
    ["the other name of bypass", { extraArgs: ["--yolo"] }, "extraArgs"],
    ["a server of ours", { mcpServers: { a: { command: "x" } }, extraArgs: ["-c", "mcp_servers.a={}"] }, "extraArgs"],
    ["a field of ours", { mcpServers: { a: { command: "x" } }, extraArgs: ["-cmcp_servers.a.args=[]"] }, "extraArgs"],
    ["a lone dash", { extraArgs: ["-"] }, "extraArgs"],
    ["the end of the flags", { extraArgs: ["--"] }, "extraArgs"]
  ]

  it.each(invalid)("%s", (_, params, option) => {
    assert.deepInclude(refused(params), { _tag: "InvalidParams", option })
  })

  it("a prompt of 1,048,577 characters", () => {
    const reason = refused({ prompt: "ä".repeat(1_048_577) })
    assert.deepInclude(reason, {
      _tag: "CommandLineTooLong",
      option: "prompt",
      bytes: 2_097_154,
      limitBytes: 1_048_576
    })
  })

  it("shows no part of a secret value", () => {
    const reason = refused({ extraArgs: ["-c", "developer_instructions=sk-secret"] })
    assert.notInclude(reason.message, "sk-secret")
  })

  it("does not refuse keys of the caller's own", () => {
    const extraArgs = ["-c", "mcp_servers.mine.enabled=false", "-cweb_search=live", "--config=model_verbosity=low"]
    assert.includeMembers(argv(planned({ extraArgs })), extraArgs)
  })
})
