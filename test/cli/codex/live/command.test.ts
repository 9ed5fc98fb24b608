/** Params → exactly these arguments, files and variables of `codex app-server`; and errors of a turn → reasons. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { livePlan } from "../../../../src/cli/codex/command.ts"
import { turnFailure } from "../../../../src/cli/codex/live/failures.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

const place = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }
const planned = (params: AgentOpenParams) => livePlan(params, {}, place)
const input = (params: AgentOpenParams) => Result.getOrThrow(planned(params))
const always = ["app-server", "-c", "analytics.enabled=false", "-c", "features.plugins=false"]
const patient = ["-c", "features.unbounded_connection_retries=false"]

describe("arguments", () => {
  const table: ReadonlyArray<readonly [string, AgentOpenParams, ReadonlyArray<string>]> = [
    ["nothing", {}, []],
    ["what the dialogue says", { model: "m", systemPrompt: "x", appendSystemPrompt: "y", permissionMode: "plan" }, []],
    ["effort", { effort: "high" }, ["-c", 'model_reasoning_effort="high"']],
    [
      "additionalDirectories",
      { additionalDirectories: ["/a", "/b"] },
      ["-c", 'sandbox_workspace_write.writable_roots=["/a","/b"]']
    ],
    ["questions, off", { questions: "off" }, []],
    [
      "questions",
      { questions: {} },
      ["-c", "features.default_mode_request_user_input=true", "-c", "suppress_unstable_features_warning=true"]
    ],
    ["extraArgs", { extraArgs: ["-c", "web_search=live"] }, ["-c", "web_search=live"]]
  ]

  it.each(table)("%s", (_, params, expected) => {
    const { args, files, env } = input(params)
    assert.deepStrictEqual(
      args.map(({ text }) => text),
      [...always, ...patient, ...expected]
    )
    assert.deepStrictEqual([files, env], [[], {}])
  })

  it("leave calls of MCP to the session's decision, and no secret on the line", () => {
    const headers = { Authorization: Redacted.make("secret") }
    const { args, env } = input({ mcpServers: { web: { url: "http://127.0.0.1:1/mcp", headers } } })
    const line = args.map(({ text }) => text).join(" ")
    assert.include(line, "mcp_servers.web={")
    assert.notInclude(line, "default_tools_approval_mode")
    assert.notInclude(line, "secret")
    assert.include(Object.values(env), "secret")
  })

  it.each([
    [{ sessionId: "a name" }, "sessionId"],
    [{ forkSession: true }, "forkSession"],
    [{ extraArgs: ["-c", "approval_policy=never"] }, "extraArgs"],
    [{ extraArgs: ["--listen", "ws://127.0.0.1:1"] }, "extraArgs"],
    [{ mcpServers: { "a.b": { command: "x" } } }, "mcpServers"]
  ])("are refused: %j", (params, option) => {
    const problem = planned(params)
    assert.deepInclude(Result.isFailure(problem) ? problem.failure : {}, { _tag: "InvalidParams", option })
  })
})

describe("a failed turn", () => {
  const stream = (name: string, httpStatusCode: number | null) => ({ [name]: { httpStatusCode } })

  it.each([
    [stream("httpConnectionFailed", 401), "unexpected status 401 Unauthorized", "http_401", "auth"],
    [stream("responseTooManyFailedAttempts", 429), "exceeded retry limit", "http_429", "rate_limit"],
    [stream("httpConnectionFailed", null), "Connection failed: refused", "connection_failed", "network"],
    [stream("responseStreamDisconnected", null), "x", "stream_disconnected", "network"],
    ["usageLimitExceeded", "You've hit your usage limit.", "usage_limit_reached", "rate_limit"],
    ["usageLimitExceeded", "new words", "usage_limit_reached", "rate_limit"],
    ["usageLimitExceeded", "Quota exceeded. Check your plan.", "insufficient_quota", "billing"],
    ["internalServerError", "x", "server_error", "overloaded"],
    ["serverOverloaded", "x", "overloaded", "overloaded"],
    ["contextWindowExceeded", "x", "context_length_exceeded", "context_overflow"],
    ["modelNotFound", "x", "model_not_found", "invalid_request"],
    ["unauthorized", "x", "authentication_failed", "auth"],
    ["cyberPolicy", "x", "cyber_policy", "other"],
    ["other", '{"error":{"message":"Not good.","code":"bad_param"}}', "bad_param", "invalid_request"],
    [{ toString: 1 }, "x", "to_string", "other"],
    [null, "x", "turn_failed", "other"]
  ] as const)("%j, %s", (codexErrorInfo, message, code, category) => {
    assert.deepInclude(turnFailure({ message, codexErrorInfo }), { code, category })
  })

  it("without a message is a failure", () => {
    assert.deepInclude(turnFailure(undefined), { code: "turn_failed" })
  })
})
