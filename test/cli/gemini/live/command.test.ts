/** Params and options → exactly these arguments, this environment, these files and settings of a live session. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { livePlan, sessionServers } from "../../../../src/cli/gemini/command.ts"
import { live } from "../../../../src/cli/gemini/index.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../../../src/contract/AgentOptions.ts"
import type { Plan } from "../../../../src/contract/Plan.ts"

const context = { env: { HOME: "/home/me" }, workingDirectory: "/workspace", privateDirectory: "/tmp/reins-a1-b2" }

const keeps = { general: { sessionRetention: { enabled: false } } }

const planned = (params: AgentOpenParams = {}, options: AgentOptions = {}) =>
  Result.getOrThrow(livePlan(params, options, context))

const argv = ({ args }: Plan) => args.map(({ text }) => text)

describe("a live session", () => {
  it("is started the same every time, and keeps the sessions of its directory", () => {
    const { settings, ...plan } = planned()
    assert.deepStrictEqual(settings?.patch, keeps)
    assert.isString(settings?.otherwise)
    assert.deepStrictEqual(plan, {
      args: [{ option: "live session", text: "--acp" }],
      files: [],
      directories: ["tmp"],
      env: {
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_CLI_NO_RELAUNCH: "true",
        NO_COLOR: "1",
        TMPDIR: "/tmp/reins-a1-b2/tmp",
        GEMINI_PTY_INFO: "child_process"
      }
    })
  })

  it("has a text that is added to the system prompt in a context file, like a run", () => {
    const input = planned({ appendSystemPrompt: "Be kind." })
    assert.deepStrictEqual(argv(input), ["--acp", "--include-directories=/tmp/reins-a1-b2/context"])
    assert.deepStrictEqual(
      input.files.map(({ name }) => name),
      ["context/GEMINI.md", "context/.git"]
    )
    assert.deepStrictEqual(input.directories, ["tmp", "context"])
  })

  const policies = ["--policy=/tmp/reins-a1-b2/policy.toml", "--policy=/home/me/.gemini/policies"]

  const table: ReadonlyArray<readonly [string, AgentOpenParams, ReadonlyArray<string>]> = [
    ["model", { model: "-flash" }, ["--model=-flash"]],
    ["permissionMode default", { permissionMode: "default" }, ["--approval-mode=default"]],
    ["permissionMode plan", { permissionMode: "plan" }, ["--approval-mode=plan"]],
    ["permissionMode accept-edits", { permissionMode: "accept-edits" }, ["--approval-mode=auto_edit"]],
    ["permissionMode bypass", { permissionMode: "bypass" }, ["--approval-mode=yolo"]],
    ["allowedTools", { allowedTools: ["read_file"] }, policies],
    ["disallowedTools", { disallowedTools: ["read_file"] }, policies],
    ["additionalDirectories", { additionalDirectories: ["/a b"] }, ["--include-directories=/a b"]],
    ["strictMcpServers alone", { strictMcpServers: true }, ["--allowed-mcp-server-names=no:server"]],
    [
      "strictMcpServers with a server",
      { strictMcpServers: true, mcpServers: { a: { command: "x" } } },
      ["--allowed-mcp-server-names=a"]
    ],
    ["mcpServers", { mcpServers: { a: { command: "x" } } }, []],
    ["sessionId", { sessionId: "8cc1e1c0-59be" }, []],
    ["trustWorkspace, false", { trustWorkspace: false }, []],
    ["slashCommands", { slashCommands: true }, []],
    ["extraArgs", { extraArgs: ["--debug"] }, ["--debug"]]
  ]

  it.each(table)("with %s", (_, params, args) => {
    const plan = planned(params)
    assert.deepStrictEqual(argv(plan), ["--acp", ...args])
    assert.deepStrictEqual(plan.settings?.patch, params.trustWorkspace === false ? undefined : keeps)
  })

  it("keeps its system prompt, its rules and its secrets in private places", () => {
    const { files, env } = planned({ systemPrompt: "Be brief.", disallowedTools: ["glob"] })
    assert.strictEqual(env["GEMINI_SYSTEM_MD"], "/tmp/reins-a1-b2/system.md")
    assert.deepStrictEqual(
      files.map(({ name }) => name),
      ["system.md", "policy.toml"]
    )
    assert.include(files[1]?.content, 'decision = "deny"')
  })

  it("obeys no settings of a workspace that is not trusted, and has no key of a subscription's", () => {
    const { env } = planned({ trustWorkspace: false }, { billing: "subscription" })
    assert.deepInclude(env, { GEMINI_CLI_TRUST_WORKSPACE: "false", GEMINI_API_KEY: "", GOOGLE_API_KEY: "" })
  })

  it("has its most turns in the settings", () => {
    assert.deepStrictEqual(planned({ maxTurns: 3 }).settings, {
      path: [".gemini", "settings.json"],
      patch: { model: { maxSessionTurns: 3 }, ...keeps }
    })
  })
})

describe("refuses", () => {
  const table: ReadonlyArray<readonly [string, AgentOpenParams]> = [
    ["sessionId", { sessionId: "latest" }],
    ["sessionId", { sessionId: "5" }],
    ["permissionMode", { trustWorkspace: false, permissionMode: "bypass" }],
    ["permissionMode", { trustWorkspace: false, permissionMode: "accept-edits" }],
    ["mcpServers", { trustWorkspace: false, mcpServers: { a: { command: "x" } } }],
    ["mcpServers", { mcpServers: { "a b": { command: "x" } } }],
    ["mcpServers", { mcpServers: { a: { command: "x", env: { LD_PRELOAD: "x" } } } }],
    ["maxTurns", { trustWorkspace: false, maxTurns: 1 }],
    ["additionalDirectories", { additionalDirectories: ["a,b"] }],
    ["disallowedTools", { disallowedTools: ["mcp__a"] }],
    ...["ask_user", "exit_plan_mode", "enter_plan_mode"].map(
      (name) => ["tools", { tools: [{ name, description: "asks", inputSchema: {}, run: () => "yes" }] }] as const
    ),
    ["extraArgs", { extraArgs: ["--acp"] }],
    ["extraArgs", { extraArgs: ["--resume=x"] }]
  ]

  it.each(table)("%s of %j", (option, params) => {
    const reason = Result.match(livePlan(params, {}, context), {
      onSuccess: () => assert.fail("it was taken"),
      onFailure: (failure) => failure
    })
    assert.deepInclude(reason, { _tag: "InvalidParams", option })
  })
})

describe("servers in the dialogue", () => {
  it("have their secrets as they are, past the CLI's replacing of variables", () => {
    const params: AgentOpenParams = {
      mcpServers: {
        local: { command: "node", args: ["$x"], env: { TOKEN: Redacted.make("pa$$") } },
        bare: { command: "bare" },
        remote: { url: "http://x/$y", headers: { Authorization: "Bearer a$HOME" } }
      }
    }
    const dialogue = live.dialogue(params, context)
    dialogue.open()
    const capabilities = { loadSession: true, mcpCapabilities: { http: true } }
    const answered = dialogue.push({ jsonrpc: "2.0", id: 1, result: { agentCapabilities: capabilities } })
    const servers = JSON.parse(JSON.stringify(answered))[0].json.params.mcpServers
    assert.deepStrictEqual(servers, [
      { name: "local", command: "node", args: ["$x"], env: [{ name: "TOKEN", value: "pa\\$\\$" }] },
      { name: "bare", command: "bare", args: [], env: [] },
      {
        type: "http",
        name: "remote",
        url: "http://x/$y",
        headers: [{ name: "Authorization", value: "Bearer a\\$HOME" }]
      }
    ])
    assert.notInclude(JSON.stringify(sessionServers(params)), "pa$$")
  })
})
