/** Params → exactly these arguments and files of a live session; and what is refused, by its name. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/claude/command.ts"
import { live } from "../../../../src/cli/claude/index.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

const session = "11111111-2222-4333-8444-555555555555"
const context = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }

const argv = (params: AgentOpenParams = {}) =>
  Result.getOrThrow(live.plan(params, {}, context)).args.map(({ text }) => text)

const always = [
  "-p",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--include-hook-events",
  "--input-format=stream-json",
  "--permission-prompt-tool=stdio"
]

const run = () => undefined
const tool = { name: "add", description: "adds", inputSchema: { type: "object" }, run }

describe("arguments of a session", () => {
  const table: ReadonlyArray<readonly [string, AgentOpenParams, ReadonlyArray<string>]> = [
    ["nothing", {}, []],
    ["a session to resume", { sessionId: session }, [`--resume=${session}`]],
    ["a fork", { sessionId: session, forkSession: true }, [`--resume=${session}`, "--fork-session"]],
    ["a name", { newSessionId: session }, [`--session-id=${session}`]],
    ["model and mode", { model: "opus", permissionMode: "plan" }, ["--model=opus", "--permission-mode=plan"]],
    ["servers", { mcpServers: { tiny: { command: "tiny" } } }, ["--mcp-config=/private/mcp.json"]],
    ["no trust", { trustWorkspace: false }, ["--strict-mcp-config", "--setting-sources=user"]],
    ["functions of the host", { tools: [tool], hooks: [{ event: "Stop", run }] }, []],
    ["limits", { maxTurns: 2, maxBudgetUsd: 1 }, ["--max-turns=2", "--max-budget-usd=1"]],
    ["more", { extraArgs: ["--debug-file=/x"] }, ["--debug-file=/x"]]
  ]

  it.each(table)("%s", (_, params, expected) => {
    assert.deepStrictEqual(argv(params), [...always, ...expected])
  })

  it("are those of a run, but for how prompts come in", () => {
    const params = { sessionId: session, systemPrompt: "x", allowedTools: ["Read"], effort: "high", fallbackModel: "y" }
    const ofRun = Result.getOrThrow(plan({ ...params, prompt: "hello" }, { promptVia: "argument" }, context))
    const ofSession = Result.getOrThrow(live.plan(params, { promptVia: "argument" }, context))
    const texts = ofRun.args.map(({ text }) => text).slice(0, -2)
    assert.deepStrictEqual(
      ofSession.args.map(({ text }) => text),
      texts.toSpliced(5, 0, "--input-format=stream-json", "--permission-prompt-tool=stdio")
    )
    assert.deepStrictEqual(ofSession.files, ofRun.files)
  })
})

describe("refuses", () => {
  const table: ReadonlyArray<readonly [string, AgentOpenParams]> = [
    ["sessionId", { sessionId: "-x" }],
    ["forkSession", { forkSession: true }],
    ["newSessionId", { newSessionId: "mine" }],
    ["extraArgs", { extraArgs: ["--permission-prompt-tool=mcp__x"] }],
    ["extraArgs", { extraArgs: ["--input-format", "text"] }]
  ]

  it.each(table)("%s of %j", (option, params) => {
    const problem = Result.getOrThrow(Result.flip(live.plan(params, {}, context)))
    assert.deepInclude(problem, { _tag: "InvalidParams", option })
  })

  it("nothing of a server named host without tools", () => {
    assert.include(argv({ mcpServers: { host: { command: "x" } } }), "--mcp-config=/private/mcp.json")
  })
})
