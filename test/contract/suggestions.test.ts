/** An unknown option gets a suggestion: by the names of other SDKs, or by spelling. */
import { Result, Struct } from "effect"
import { assert, describe, it } from "vitest"
import { AgentExecuteParams, parseParams } from "../../src/contract/AgentExecuteParams.ts"
import { parseOpenParams } from "../../src/contract/AgentOpenParams.ts"
import { parseOptions } from "../../src/contract/AgentOptions.ts"
import { hintFor, suggestionFor } from "../../src/contract/suggestions.ts"

const params = Struct.keys(AgentExecuteParams.fields)

describe("suggestionFor", () => {
  it.each([
    // Claude Agent SDK
    ["cwd", "workingDirectory"],
    ["abortController", "abortSignal"],
    ["resume", "sessionId"],
    ["outputFormat", "outputSchema"],
    ["customSystemPrompt", "systemPrompt"],
    ["strictMcpConfig", "strictMcpServers"],
    ["add_dirs", "additionalDirectories"],
    ["allowed_tools", "allowedTools"],
    // Codex SDK
    ["modelReasoningEffort", "effort"],
    ["sandboxMode", "permissionMode"],
    ["threadId", "sessionId"],
    ["images", "attachments"],
    // others
    ["approvalMode", "permissionMode"],
    ["sessionID", "sessionId"],
    ["maxSteps", "maxTurns"],
    ["timeoutMs", "timeouts"],
    ["instructions", "systemPrompt"],
    ["contents", "prompt"],
    ["maxThinkingTokens", "effort"],
    // spelling
    ["modle", "model"],
    ["promt", "prompt"],
    ["working_directory", "workingDirectory"],
    ["PROMPT", "prompt"],
    ["maxTurn", "maxTurns"],
    ["disalowedTools", "disallowedTools"],
    ["timeout", "timeouts"]
  ])("%s: %s", (name, expected) => assert.strictEqual(suggestionFor(name, params), expected))

  it.each(["x", "verbose", "temperature", "", "constructor", "__proto__", "toString", "a".repeat(1_000_000)])(
    "has no suggestion for %.20s",
    (name) => assert.isUndefined(suggestionFor(name, params))
  )

  it("prefers, at the same distance, the name with the same beginning", () => {
    assert.strictEqual(suggestionFor("totl", ["tool", "total"]), "total")
  })

  it("suggests only names of the place", () => {
    assert.isUndefined(suggestionFor("cwd", ["model"]))
    assert.strictEqual(hintFor("cwd", ["model"]), "")
  })
})

describe("a name without an equivalent", () => {
  it.each([
    ["options", 'its fields stand beside "prompt"'],
    ["yolo", 'permissions without asking are set by "permissionMode"; "bypass" allows all'],
    ["dangerouslySkipPermissions", 'permissions without asking are set by "permissionMode"; "bypass" allows all'],
    ["continue", 'the session to continue is named by its id, in "sessionId"'],
    ["stream", "agent.execute(params) gives the events as they come"],
    ["onEvent", "it is in the second argument: agent.run(params, { onEvent })"],
    ["onPermission", "it is for live sessions: agent.open"],
    ["canUseTool", "it is for live sessions: agent.open"],
    ["tools", 'tools of your own are for live sessions: agent.open; those of the CLI are in "allowedTools"']
  ])("%s", (name, remark) => assert.strictEqual(hintFor(name, params), `; ${remark}`))
})

describe("a wrong name", () => {
  it.each([
    [parseParams, { prompt: "", cwd: "." }, 'cwd: is not a known field; did you mean "workingDirectory"?'],
    [parseParams, { prompt: "", timeouts: { idel: 1 } }, 'timeouts.idel: is not a known field; did you mean "idle"?'],
    [
      parseParams,
      { prompt: "", mcpServers: { db: { comand: "x" } } },
      'mcpServers.db.comand: is not a known field; did you mean "command"?'
    ],
    [
      parseParams,
      { prompt: "", mcpServers: { db: { command: "x", environment: {} } } },
      'mcpServers.db.environment: is not a known field; did you mean "env"?'
    ],
    [
      parseParams,
      { prompt: "", mcpServers: { db: { type: "http", url: "x" } } },
      'mcpServers.db.type: is not a known field; a server with "command" is started, one with "url" is connected to over HTTP'
    ],
    [
      parseParams,
      { prompt: "", permissionMode: "acceptEdits" },
      'permissionMode: Expected "default", "plan", "accept-edits" or "bypass"; did you mean "accept-edits"?'
    ],
    [
      parseOptions,
      { env: { FOO: "1" } },
      'env.FOO: is not a known field; variables are given in "values": env: { values: { NAME: "value" } }'
    ],
    [
      parseOptions,
      { pathToClaudeCodeExecutable: "claude" },
      'pathToClaudeCodeExecutable: is not a known field; did you mean "command"?'
    ],
    [parseOptions, { limits: { perCLI: 1 } }, 'limits.perCLI: is not a known field; did you mean "perCli"?'],
    [
      parseOpenParams,
      { prompt: "hi" },
      "prompt: is not a known field; a live session gets its prompts by turns: session.turn(prompt)"
    ],
    [parseOpenParams, { canUseTool: () => {} }, 'canUseTool: is not a known field; did you mean "approvals"?'],
    [parseOpenParams, { questions: { handle: 1 } }, 'questions.handle: is not a known field; did you mean "handler"?']
  ])("%o %o", (parse, input, message) => {
    const parsed: Result.Result<unknown, Error> = parse(input)
    assert.strictEqual(Result.isFailure(parsed) ? parsed.failure.message : "it is known", message)
  })
})
