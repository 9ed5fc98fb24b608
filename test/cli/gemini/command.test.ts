/** Params and options → exactly these arguments, this stdin, environment, files and settings. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../src/cli/gemini/command.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import type { Plan } from "../../../src/contract/Plan.ts"

type Params = Partial<AgentExecuteParams>

const context = { env: { HOME: "/home/me" }, workingDirectory: "/workspace", privateDirectory: "/tmp/reins-a1-b2" }

const planned = (
  params: Params = {},
  options: AgentOptions = {},
  env: Readonly<Record<string, string>> = context.env
) => Result.getOrThrow(plan({ prompt: "hello", ...params }, options, { ...context, env }))

const argv = ({ args }: Plan) => args.map(({ text }) => text)
const files = (input: Plan) => Object.fromEntries(input.files.map(({ name, content }) => [name, content]))

const always = ["--output-format=stream-json"]
const policies = ["--policy=/tmp/reins-a1-b2/policy.toml", "--policy=/home/me/.gemini/policies"]

describe("a plain prompt", () => {
  it("is on stdin, the same for every run", () => {
    const input = planned()
    assert.deepStrictEqual(argv(input), always)
    assert.strictEqual(input.stdin, "hello")
    assert.deepStrictEqual(input.env, {
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
      NO_COLOR: "1",
      TMPDIR: "/tmp/reins-a1-b2/tmp"
    })
    assert.deepStrictEqual(input.directories, ["tmp"])
    assert.deepStrictEqual(input.files, [])
    assert.deepStrictEqual(Object.keys(input.settings?.patch ?? {}), ["general"])
  })

  const prompts: ReadonlyArray<readonly [string, Params, AgentOptions, string, ReadonlyArray<string>]> = [
    ["begins with -", { prompt: "--help me" }, {}, "--help me", []],
    ["begins with /", { prompt: "/memory show" }, {}, " /memory show", []],
    ["begins with / and means it", { prompt: "/memory show", slashCommands: true }, {}, "/memory show", []],
    ["begins with / behind a newline", { prompt: "\n/init" }, {}, "\n/init", []],
    ["has a / inside", { prompt: "cat /etc/hosts" }, {}, "cat /etc/hosts", []],
    ["has lines, CRLF and a BOM", { prompt: "\ufeffa\r\nb\n" }, {}, "\ufeffa\r\nb\n", []],
    ["as an argument", { prompt: "-x" }, { promptVia: "argument" }, "", ["--prompt=-x"]],
    ["as an argument, begins with /", { prompt: "/init" }, { promptVia: "argument" }, "", ["--prompt= /init"]]
  ]

  it.each(prompts)("%s", (_, params, options, stdin, last) => {
    const input = planned(params, options)
    assert.strictEqual(input.stdin, stdin)
    assert.deepStrictEqual(argv(input), [...always, ...last])
  })

  it("of 10,001 characters is on stdin also where an argument is asked for", () => {
    const longest = planned({ prompt: "ä".repeat(10_000) }, { promptVia: "argument" })
    assert.deepStrictEqual([argv(longest).length, longest.stdin], [2, ""])
    const prompt = "ä".repeat(10_001)
    const input = planned({ prompt }, { promptVia: "argument" })
    assert.deepStrictEqual([argv(input), input.stdin], [always, prompt])
  })
})

describe("arguments", () => {
  const table: ReadonlyArray<readonly [string, Params, ReadonlyArray<string>]> = [
    ["model", { model: "flash" }, ["--model=flash"]],
    ["model that looks like a flag", { model: "-y" }, ["--model=-y"]],
    ["permissionMode default", { permissionMode: "default" }, []],
    ["permissionMode plan", { permissionMode: "plan" }, ["--approval-mode=plan"]],
    ["permissionMode accept-edits", { permissionMode: "accept-edits" }, ["--approval-mode=auto_edit"]],
    ["permissionMode bypass", { permissionMode: "bypass" }, ["--approval-mode=yolo"]],
    ["allowedTools", { allowedTools: ["read_file"] }, policies],
    ["disallowedTools", { disallowedTools: ["read_file"] }, policies],
    ["empty lists of tools", { allowedTools: [], disallowedTools: [] }, []],
    [
      "additionalDirectories",
      { additionalDirectories: ["/a b", "-c"] },
      ["--include-directories=/a b", "--include-directories=-c"]
    ],
    ["sessionId", { sessionId: "8cc1e1c0-59be" }, ["--resume=8cc1e1c0-59be"]],
    ["sessionId with letters and digits", { sessionId: "a_B-1" }, ["--resume=a_B-1"]],
    ["newSessionId", { newSessionId: "-mine" }, ["--session-id=-mine"]],
    ["trustWorkspace", { trustWorkspace: true }, []],
    ["trustWorkspace, false", { trustWorkspace: false }, ["--skip-trust"]],
    ["strictMcpServers without servers", { strictMcpServers: true }, ["--allowed-mcp-server-names=no:server"]],
    ["strictMcpServers, false", { strictMcpServers: false }, []],
    [
      "strictMcpServers with servers",
      { strictMcpServers: true, mcpServers: { a: { command: "x" }, b: { url: "http://x" } } },
      ["--allowed-mcp-server-names=a", "--allowed-mcp-server-names=b"]
    ],
    ["mcpServers alone", { mcpServers: { a: { command: "x" } } }, []],
    ["extraArgs", { extraArgs: ["--debug", "--extensions", "none"] }, ["--debug", "--extensions", "none"]]
  ]

  it.each(table)("%s", (_, params, args) => {
    assert.deepStrictEqual(argv(planned(params)), [...always, ...args])
  })

  it("name the user's own policies where the CLI looks for them", () => {
    const last = (env: Readonly<Record<string, string>>) => argv(planned({ allowedTools: ["glob"] }, {}, env)).slice(2)
    assert.deepStrictEqual(last({ HOME: "/h", GEMINI_CLI_HOME: "/g" }), ["--policy=/g/.gemini/policies"])
    assert.deepStrictEqual(last({ HOME: "/h", GEMINI_CLI_HOME: "" }), ["--policy=/h/.gemini/policies"])
    assert.deepStrictEqual(last({}), [])
  })
})

describe("a text that is added to the system prompt", () => {
  it("is a context file in a directory of its own, at which the search for others ends", () => {
    const input = planned({ appendSystemPrompt: "Be kind.", additionalDirectories: ["/more"] })
    const directories = ["--include-directories=/more", "--include-directories=/tmp/reins-a1-b2/context"]
    assert.deepStrictEqual(argv(input), [...always, ...directories])
    assert.deepStrictEqual(files(input), { "context/GEMINI.md": "Be kind.", "context/.git": "" })
    assert.deepStrictEqual(input.directories, ["tmp", "context"])
    assert.notProperty(input.env, "GEMINI_SYSTEM_MD")
  })

  it.each([
    ["@a", "@\u200Ba"],
    ["see @./a and\t@/b\r\n@C", "see @\u200B./a and\t@\u200B/b\r\n@\u200BC"],
    ["bob@example.com, @ 1, @@a, @1", "bob@example.com, @ 1, @@a, @1"]
  ])("%j includes no file", (text, content) => {
    assert.strictEqual(files(planned({ appendSystemPrompt: text }))["context/GEMINI.md"], content)
  })

  it.each([
    ["a", "b", "a\n\nb"],
    ["", "@b", "@b"],
    ["a", " ", "a"]
  ])("follows a system prompt in place of the CLI's own: %j, %j", (systemPrompt, appendSystemPrompt, content) => {
    const input = planned({ systemPrompt, appendSystemPrompt })
    assert.deepStrictEqual(files(input), { "system.md": content })
    assert.deepStrictEqual([argv(input), input.directories], [always, ["tmp"]])
  })

  it("makes nothing if it is blank", () => {
    assert.deepStrictEqual(planned({ appendSystemPrompt: " \n" }), planned())
  })
})

describe("environment", () => {
  it("does not trust the workspace when the params say so, whatever the host's environment", () => {
    const env = { ...context.env, GEMINI_CLI_TRUST_WORKSPACE: "true" }
    assert.strictEqual(planned({ trustWorkspace: false }, {}, env).env["GEMINI_CLI_TRUST_WORKSPACE"], "false")
  })

  it("leads to the system prompt's file", () => {
    const input = planned({ systemPrompt: "Be brief." })
    assert.strictEqual(input.env["GEMINI_SYSTEM_MD"], "/tmp/reins-a1-b2/system.md")
    assert.deepStrictEqual(files(input), { "system.md": "Be brief." })
  })

  it("hides keys of .env files from a run that a subscription pays", () => {
    const { env } = planned({}, { billing: "subscription" })
    assert.deepInclude(env, { GEMINI_API_KEY: "", GOOGLE_API_KEY: "" })
    for (const options of [{}, { billing: "api-key" } as const]) {
      assert.notProperty(planned({}, options).env, "GEMINI_API_KEY")
    }
  })
})
