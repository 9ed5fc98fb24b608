/** Params and options → exactly these arguments, this stdin and these files; and what is refused, by its name. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../src/cli/claude/command.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import type { Plan } from "../../../src/contract/Plan.ts"
import { checkCommandLine } from "../../../src/system/process/HostEnvironment.ts"

type Params = Partial<AgentExecuteParams>

const session = "11111111-2222-4333-8444-555555555555"
const other = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"

const context = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }

const planned = (params: Params = {}, options: AgentOptions = {}): Plan =>
  Result.getOrThrow(plan({ prompt: "hello", ...params }, options, context))

const argv = ({ args }: Plan) => args.map(({ text }) => text)

const files = (input: Plan) => Object.fromEntries(input.files.map(({ name, content }) => [name, content]))

const always = ["-p", "--output-format=stream-json", "--verbose", "--include-partial-messages", "--include-hook-events"]

describe("arguments", () => {
  it("of a plain prompt are the same for every run, and the prompt is on stdin", () => {
    const input = planned()
    assert.deepStrictEqual(argv(input), always)
    assert.strictEqual(input.stdin, "hello")
    assert.deepStrictEqual(input.env, {})
    assert.deepStrictEqual(files(input), {})
  })

  const table: ReadonlyArray<readonly [string, Params, ReadonlyArray<string>]> = [
    ["model", { model: "opus" }, ["--model=opus"]],
    ["fallbackModel", { fallbackModel: "haiku" }, ["--fallback-model=haiku"]],
    ["effort", { effort: "high" }, ["--effort=high"]],
    ["permissionMode default", { permissionMode: "default" }, ["--permission-mode=default"]],
    ["permissionMode plan", { permissionMode: "plan" }, ["--permission-mode=plan"]],
    ["permissionMode accept-edits", { permissionMode: "accept-edits" }, ["--permission-mode=acceptEdits"]],
    ["permissionMode bypass", { permissionMode: "bypass" }, ["--permission-mode=bypassPermissions"]],
    ["allowedTools", { allowedTools: ["Read", "Bash(git *)"] }, ["--allowedTools=Read", "--allowedTools=Bash(git *)"]],
    ["allowedTools, empty", { allowedTools: [] }, []],
    ["disallowedTools", { disallowedTools: ["WebFetch"] }, ["--disallowedTools=WebFetch"]],
    ["systemPrompt", { systemPrompt: "Be brief." }, ["--system-prompt-file=/private/system-prompt.txt"]],
    ["systemPrompt, empty", { systemPrompt: "" }, ["--system-prompt-file=/private/system-prompt.txt"]],
    [
      "appendSystemPrompt",
      { appendSystemPrompt: "x" },
      ["--append-system-prompt-file=/private/append-system-prompt.txt"]
    ],
    ["maxTurns", { maxTurns: 3 }, ["--max-turns=3"]],
    ["maxBudgetUsd", { maxBudgetUsd: 0.5 }, ["--max-budget-usd=0.5"]],
    ["outputSchema", { outputSchema: { type: "object" } }, ['--json-schema={"type":"object"}']],
    ["its draft", { outputSchema: { $schema: "x", type: "object" } }, ['--json-schema={"type":"object"}']],
    ["additionalDirectories", { additionalDirectories: ["/a", "-b"] }, ["--add-dir=/a", "--add-dir=-b"]],
    ["sessionId", { sessionId: session }, [`--resume=${session}`]],
    ["sessionId, a title", { sessionId: "my title" }, ["--resume=my title"]],
    ["forkSession", { sessionId: session, forkSession: true }, [`--resume=${session}`, "--fork-session"]],
    ["forkSession, false", { sessionId: session, forkSession: false }, [`--resume=${session}`]],
    ["forkSession, false and alone", { forkSession: false }, []],
    ["newSessionId", { newSessionId: other }, [`--session-id=${other}`]],
    [
      "a fork with a name",
      { sessionId: session, forkSession: true, newSessionId: other },
      [`--resume=${session}`, "--fork-session", `--session-id=${other}`]
    ],
    ["mcpServers", { mcpServers: { tiny: { command: "tiny" } } }, ["--mcp-config=/private/mcp.json"]],
    ["mcpServers, none", { mcpServers: {} }, []],
    ["strictMcpServers", { strictMcpServers: true }, ["--strict-mcp-config"]],
    ["settingSources", { settingSources: ["user", "local"] }, ["--setting-sources=user,local"]],
    ["settingSources, none", { settingSources: [] }, ["--setting-sources="]],
    ["trustWorkspace", { trustWorkspace: true }, []],
    ["trustWorkspace, false", { trustWorkspace: false }, ["--strict-mcp-config", "--setting-sources=user"]],
    [
      "trustWorkspace, false, does not overrule other options",
      { trustWorkspace: false, strictMcpServers: false, settingSources: [] },
      ["--setting-sources="]
    ],
    ["extraArgs", { extraArgs: ["--debug-file=/tmp/x", "--agents", "{}"] }, ["--debug-file=/tmp/x", "--agents", "{}"]]
  ]

  it.each(table)("%s", (_, params, expected) => {
    const input = planned(params)
    assert.deepStrictEqual(argv(input), [...always, ...expected])
    assert.strictEqual(input.stdin, "hello")
  })

  it("all name the option they come from", () => {
    const input = planned({ model: "opus", allowedTools: ["Read"], mcpServers: { tiny: { command: "tiny" } } })
    const options = input.args.slice(always.length).map(({ option }) => option)
    assert.deepStrictEqual(options, ["model", "allowedTools", "mcpServers"])
  })

  it("never carry a value apart from its name, where it could be read as a flag or be swallowed", () => {
    const input = planned({
      model: "--help",
      fallbackModel: "-x",
      sessionId: "a b",
      additionalDirectories: ["--version"]
    })
    for (const text of argv(input)) assert.match(text, /^-/)
    assert.include(argv(input), "--model=--help")
  })
})

describe("the prompt", () => {
  const viaArgument: AgentOptions = { promptVia: "argument" }

  const table: ReadonlyArray<readonly [string, Params, AgentOptions, string, ReadonlyArray<string>]> = [
    ["begins with -", { prompt: "--help me" }, {}, "--help me", []],
    ["begins with /", { prompt: "/cost" }, {}, " /cost", []],
    ["begins with / and means it", { prompt: "/cost", slashCommands: true }, {}, "/cost", []],
    ["begins with / behind a newline", { prompt: "\n/cost" }, {}, "\n/cost", []],
    ["has a / inside", { prompt: "cat /etc/hosts" }, {}, "cat /etc/hosts", []],
    ["has lines, CRLF and a BOM", { prompt: "\ufeffa\r\nb\n" }, {}, "\ufeffa\r\nb\n", []],
    ["as an argument", { prompt: "hello" }, viaArgument, "", ["--", "hello"]],
    ["as an argument, begins with -", { prompt: "-x" }, viaArgument, "", ["--", "-x"]],
    ["as an argument, begins with /", { prompt: "/cost" }, viaArgument, "", ["--", " /cost"]]
  ]

  it.each(table)("%s", (_, params, options, stdin, last) => {
    const input = planned(params, options)
    assert.strictEqual(input.stdin, stdin)
    assert.deepStrictEqual(argv(input), [...always, ...last])
  })

  it("of 10,000 characters is an argument where that is asked for, of 10,001 it is on stdin all the same", () => {
    const short = planned({ prompt: "ä".repeat(10_000) }, viaArgument)
    assert.deepStrictEqual(argv(short).slice(-2), ["--", "ä".repeat(10_000)])
    assert.strictEqual(short.stdin, "")
    const long = planned({ prompt: "ä".repeat(10_001) }, viaArgument)
    assert.deepStrictEqual(argv(long), always)
    assert.strictEqual(long.stdin, "ä".repeat(10_001))
  })

  it("is never on both channels, and comes last", () => {
    for (const prompt of ["short", "x".repeat(200_000)]) {
      for (const promptVia of ["stdin", "argument"] as const) {
        const input = planned(
          { prompt, mcpServers: { tiny: { command: "tiny" } }, extraArgs: ["--bare"] },
          { promptVia }
        )
        const inArguments = argv(input).filter((text) => text.includes(prompt)).length
        assert.strictEqual(inArguments + (input.stdin?.includes(prompt) ? 1 : 0), 1)
        if (inArguments === 1) assert.strictEqual(argv(input).at(-1), prompt)
      }
    }
  })

  it("of 10,000,000 bytes still goes", () => {
    assert.strictEqual(planned({ prompt: "x".repeat(10_000_000) }).stdin?.length, 10_000_000)
  })
})

describe("secrets and long texts", () => {
  const secret = "sk-very-secret"
  const params: Params = {
    prompt: "the prompt",
    systemPrompt: "the system prompt",
    appendSystemPrompt: "the appendix",
    mcpServers: {
      local: { command: "srv", args: ["--fast"], env: { TOKEN: Redacted.make(secret), PLAIN: "visible" } },
      remote: { url: "https://mcp.example/x", headers: { Authorization: Redacted.make(`Bearer ${secret}`) } }
    }
  }

  it("go into files, never onto the command line", () => {
    const input = planned(params)
    const line = argv(input).join("\n")
    for (const text of [secret, "the system prompt", "the appendix", "srv", "mcp.example", "the prompt", "visible"]) {
      assert.notInclude(line, text)
    }
    assert.strictEqual(files(input)["system-prompt.txt"], "the system prompt")
    assert.strictEqual(files(input)["append-system-prompt.txt"], "the appendix")
  })

  it("an MCP file has what the CLI reads", () => {
    assert.deepStrictEqual(JSON.parse(files(planned(params))["mcp.json"] ?? ""), {
      mcpServers: {
        local: { type: "stdio", command: "srv", args: ["--fast"], env: { TOKEN: secret, PLAIN: "visible" } },
        remote: { type: "http", url: "https://mcp.example/x", headers: { Authorization: `Bearer ${secret}` } }
      }
    })
  })

  it("a schema too large for the command line is refused by its name", () => {
    const input = planned({ outputSchema: { description: "x".repeat(128 * 1024) } })
    const problem = Result.flip(checkCommandLine(input.args, {}))
    assert.deepInclude(Result.getOrThrow(problem), { _tag: "CommandLineTooLong", option: "outputSchema" })
  })
})
