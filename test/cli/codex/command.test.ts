/** Params and options → exactly these arguments, this stdin, these files and this environment. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { tomlList, tomlTable, tomlText } from "../../../src/cli/codex/command/flags.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { checkCommandLine } from "../../../src/system/process/HostEnvironment.ts"
import { always, argv, files, type Params, planned, privateDirectory, session } from "./command/plans.ts"

describe("arguments", () => {
  it("of a plain prompt are the same for every run, and the prompt is on stdin", () => {
    const input = planned()
    assert.deepStrictEqual(argv(input), [
      ...["exec", "--json", "-c", "analytics.enabled=false", "-c", "features.plugins=false"],
      ...["-c", "features.unbounded_connection_retries=false", "--skip-git-repo-check", "-"]
    ])
    assert.strictEqual(input.stdin, "hello")
    assert.deepStrictEqual(input.env, {})
    assert.deepStrictEqual(input.files, [])
  })

  const table: ReadonlyArray<readonly [string, Params, ReadonlyArray<string>]> = [
    ["model", { model: "gpt-5.5" }, ["--model=gpt-5.5", "-"]],
    ["effort", { effort: "high" }, ["-c", 'model_reasoning_effort="high"', "-"]],
    ["permissionMode default", { permissionMode: "default" }, ["-"]],
    ["permissionMode plan", { permissionMode: "plan" }, ["--sandbox=read-only", "-"]],
    ["permissionMode accept-edits", { permissionMode: "accept-edits" }, ["--sandbox=workspace-write", "-"]],
    ["permissionMode bypass", { permissionMode: "bypass" }, ["--dangerously-bypass-approvals-and-sandbox", "-"]],
    ["systemPrompt", { systemPrompt: "x" }, ["-c", 'model_instructions_file="/private/system-prompt.md"', "-"]],
    ["appendSystemPrompt", { appendSystemPrompt: 'a\n"b"' }, ["-c", 'developer_instructions="a\\n\\"b\\""', "-"]],
    ["outputSchema", { outputSchema: { type: "object" } }, ["--output-schema=/private/output-schema.json", "-"]],
    ["additionalDirectories", { additionalDirectories: ["/a", "-b"] }, ["--add-dir=/a", "--add-dir=-b", "-"]],
    ["sessionId", { sessionId: session }, ["resume", session, "-"]],
    ["forkSession", { sessionId: session, forkSession: true }, ["fork", session, "-"]],
    ["forkSession, false", { sessionId: session, forkSession: false }, ["resume", session, "-"]],
    ["forkSession, false and alone", { forkSession: false }, ["-"]],
    ["mcpServers, none", { mcpServers: {} }, ["-"]],
    [
      "extraArgs",
      { extraArgs: ["-c", "web_search=live", "--strict-config"] },
      ["-c", "web_search=live", "--strict-config", "-"]
    ]
  ]

  it.each(table)("%s", (_, params, expected) => {
    const input = planned(params)
    assert.deepStrictEqual(argv(input), [...always, ...expected])
    assert.strictEqual(input.stdin, "hello")
  })

  it("of a resumed run all stand before the subcommand, which lacks some of them", () => {
    const params: Params = {
      sessionId: session,
      model: "m",
      effort: "low",
      permissionMode: "plan",
      additionalDirectories: ["/a"],
      mcpServers: { tiny: { command: "tiny" } },
      extraArgs: ["--strict-config"]
    }
    for (const forkSession of [true, false]) {
      const line = argv(planned({ ...params, forkSession }))
      assert.deepStrictEqual(line.slice(-3), [forkSession ? "fork" : "resume", session, "-"])
      assert.strictEqual(line.indexOf("--strict-config"), line.length - 4)
    }
  })

  it("all name the option they come from", () => {
    const input = planned({ model: "m", effort: "low", mcpServers: { tiny: { command: "tiny" } }, sessionId: session })
    const options = input.args.slice(always.length).map(({ option }) => option)
    const [mcp, resume] = [Array(2).fill("mcpServers"), Array(2).fill("sessionId")]
    assert.deepStrictEqual(options, ["model", "effort", "effort", ...mcp, ...resume, "prompt"])
  })

  it("never carry a value apart from its name, where it could be read as a flag or a subcommand", () => {
    const input = argv(planned({ model: "--help", appendSystemPrompt: "-x", additionalDirectories: ["resume"] }))
    assert.includeMembers(input, ["--model=--help", 'developer_instructions="-x"', "--add-dir=resume"])
  })
})

describe("the prompt", () => {
  const viaArgument: AgentOptions = { promptVia: "argument" }

  const table: ReadonlyArray<readonly [string, string, AgentOptions, string, ReadonlyArray<string>]> = [
    ["begins with -", "--help me", {}, "--help me", ["-"]],
    ["begins with /", "/compact", {}, "/compact", ["-"]],
    ["is a subcommand", "resume", {}, "resume", ["-"]],
    ["has lines and CRLF", "a\r\nb\n", {}, "a\r\nb\n", ["-"]],
    ["as an argument", "hello", viaArgument, "", ["--", "hello"]],
    ["as an argument, begins with -", "-x", viaArgument, "", ["--", "-x"]],
    ["as an argument, is a lone dash", "-", viaArgument, "-", ["-"]],
    ["as an argument, of 10,000 characters", "ä".repeat(10_000), viaArgument, "", ["--", "ä".repeat(10_000)]],
    ["as an argument, of 10,001 characters", "ä".repeat(10_001), viaArgument, "ä".repeat(10_001), ["-"]]
  ]

  it.each(table)("%s", (_, prompt, options, stdin, last) => {
    const input = planned({ prompt }, options)
    assert.strictEqual(input.stdin, stdin)
    assert.deepStrictEqual(argv(input), [...always, ...last])
  })

  it("of 1,048,576 characters still goes, however many bytes they are", () => {
    assert.strictEqual(planned({ prompt: "🙂".repeat(1_048_576) }).stdin?.length, 2_097_152)
  })

  it("comes last, behind a session, too", () => {
    const input = planned({ prompt: "go", sessionId: session, extraArgs: ["--strict-config"] }, viaArgument)
    assert.deepStrictEqual(argv(input).slice(-5), ["--strict-config", "resume", session, "--", "go"])
  })
})

describe("files", () => {
  it("have the long texts, and the command line only their paths", () => {
    const input = planned({ systemPrompt: "the system prompt", outputSchema: { type: "object" } })
    assert.deepStrictEqual(files(input), {
      "system-prompt.md": "the system prompt",
      "output-schema.json": '{"type":"object"}'
    })
    assert.notInclude(argv(input).join("\n"), "the system prompt")
    for (const { name } of input.files) assert.include(argv(input).join("\n"), `${privateDirectory}/${name}`)
  })

  it("appended instructions have none, and too many of them are refused by their name", () => {
    const input = planned({ appendSystemPrompt: "x".repeat(128 * 1024) })
    const problem = Result.flip(checkCommandLine(input.args, {}))
    assert.deepInclude(Result.getOrThrow(problem), { _tag: "CommandLineTooLong", option: "appendSystemPrompt" })
  })
})

describe("TOML", () => {
  const table: ReadonlyArray<readonly [string, string]> = [
    ['a "b" \\ c', '"a \\"b\\" \\\\ c"'],
    ["a\nb\tc\u0001", '"a\\nb\\tc\\u0001"'],
    ["a\u007fb", '"a\\u007fb"'],
    ["half \ud83d pair", '"half \ufffd pair"'],
    ["ü 🙂 ' $HOME", '"ü 🙂 \' $HOME"']
  ]

  it.each(table)("%j", (text, expected) => {
    assert.strictEqual(tomlText(text), expected)
  })

  it("of tables and lists", () => {
    assert.strictEqual(tomlTable({ "a b": tomlList(["x", 'y"']), c: "true" }), '{"a b"=["x","y\\""],"c"=true}')
  })
})
