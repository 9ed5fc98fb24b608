/** Options that the CLI could not honour, or would take otherwise, are refused before anything is started, by name. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/gemini/command.ts"
import { gemini } from "../../../../src/cli/gemini/index.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"

type Params = Partial<AgentExecuteParams>

const context = { env: { HOME: "/h" }, workingDirectory: "/workspace", privateDirectory: "/private" }

const planned = (params: Params, changed: Partial<typeof context> = {}) =>
  plan({ prompt: "hello", ...params }, {}, { ...context, ...changed })
const refusal = (params: Params, changed: Partial<typeof context> = {}) =>
  Result.getOrThrow(Result.flip(planned(params, changed)))
const isTaken = (params: Params) => Result.isSuccess(planned(params))

const servers = { tiny: { command: "tiny" } }

describe("refuses", () => {
  const table: ReadonlyArray<readonly [string, Params, string]> = [
    ["an empty prompt", { prompt: "" }, "prompt"],
    ["a blank prompt", { prompt: " \n\t" }, "prompt"],
    ["an empty session id", { sessionId: "" }, "sessionId"],
    ["the word for the last session", { sessionId: "latest" }, "sessionId"],
    ["a place in the list of sessions", { sessionId: "3" }, "sessionId"],
    ["a session id with a blank", { sessionId: "a b" }, "sessionId"],
    ["a path for a session id", { sessionId: "../a" }, "sessionId"],
    ["a session id with a newline", { sessionId: "abc\n" }, "sessionId"],
    ["a new session id that could not be resumed", { newSessionId: "42" }, "newSessionId"],
    ["a new session id that the CLI refuses", { newSessionId: "a.b" }, "newSessionId"],
    ["two session ids", { sessionId: "a", newSessionId: "b" }, "newSessionId"],
    ["a directory with a comma", { additionalDirectories: ["/a", "/b,c"] }, "additionalDirectories"],
    ["a directory with a blank at its end", { additionalDirectories: ["/a "] }, "additionalDirectories"],
    ["an empty directory", { additionalDirectories: [""] }, "additionalDirectories"],
    ["servers in a workspace without trust", { mcpServers: servers, trustWorkspace: false }, "mcpServers"],
    ["turns in a workspace without trust", { maxTurns: 1, trustWorkspace: false }, "maxTurns"],
    ["an added text that would not be read", { appendSystemPrompt: "x", trustWorkspace: false }, "appendSystemPrompt"],
    ["a server's name with a blank", { mcpServers: { "my server": { command: "x" } } }, "mcpServers"],
    ["a server's name with a comma", { mcpServers: { "a,b": { command: "x" } } }, "mcpServers"],
    ["a server without a name", { mcpServers: { "": { command: "x" } } }, "mcpServers"],
    [
      "a variable that no server gets",
      { mcpServers: { a: { command: "x", env: { node_options: "" } } } },
      "mcpServers"
    ],
    ["an unclosed rule", { allowedTools: ["run_shell_command(git"] }, "allowedTools"],
    ["a rule with empty brackets", { allowedTools: ["run_shell_command()"] }, "allowedTools"],
    ["a rule about arguments of another tool", { allowedTools: ["read_file(a)"] }, "allowedTools"],
    ["a rule that ends in *", { disallowedTools: ["run_shell_command(git *)"] }, "disallowedTools"],
    ["a very long rule", { allowedTools: [`run_shell_command(${"x".repeat(201)})`] }, "allowedTools"],
    ["a rule with half a character", { allowedTools: ["run_shell_command(\ud800)"] }, "allowedTools"],
    ["a pattern that fits nothing", { disallowedTools: ["read_*"] }, "disallowedTools"],
    ["a pattern that is documented and fits nothing", { disallowedTools: ["mcp_*_add"] }, "disallowedTools"],
    ["another CLI's name for a server's tool", { disallowedTools: ["mcp__tiny__add"] }, "disallowedTools"],
    ["an empty name of a tool", { allowedTools: [""] }, "allowedTools"]
  ]

  it.each(table)("%s", (_, params, option) => {
    const reason = refusal(params)
    assert.deepInclude(reason, { _tag: "InvalidParams", option, category: "invalid_request", retryable: false })
    assert.match(reason.message, new RegExp(`^${option}: `))
  })

  it("a prompt of 8 MiB, with its size in bytes, and without its words", () => {
    const prompt = "ä".repeat(4 * 1024 * 1024)
    const bytes = 8 * 1024 * 1024
    const reason = refusal({ prompt })
    assert.deepInclude(reason, { _tag: "CommandLineTooLong", option: "prompt", bytes, limitBytes: bytes - 1 })
    assert.isBelow(reason.message.length, 200)
    assert.isTrue(isTaken({ prompt: "/".padEnd(bytes - 1, "x") }))
  })

  it("rules in a file that the CLI would not find", () => {
    for (const changed of [{ privateDirectory: "/a,b" }, { env: { HOME: "/a,b" } }]) {
      assert.deepInclude(refusal({ disallowedTools: ["glob"] }, changed), { option: "allowedTools" })
    }
    assert.isTrue(Result.isSuccess(planned({}, { privateDirectory: "/a,b" })))
  })

  it("an added text in a file that the CLI would not find", () => {
    const changed = { privateDirectory: "/a,b" }
    assert.deepInclude(refusal({ appendSystemPrompt: "x" }, changed), { option: "env TMPDIR" })
    assert.isTrue(Result.isSuccess(planned({ systemPrompt: "a", appendSystemPrompt: "x" }, changed)))
  })
})

describe("accepts", () => {
  it.each<readonly [string, Params]>([
    ["ids of letters, digits, dashes and underscores", { sessionId: "0a-_Z" }],
    ["an id that begins with the word for the last session", { sessionId: "latest-1" }],
    ["no servers in a workspace without trust", { mcpServers: {}, trustWorkspace: false }],
    ["no added text in a workspace without trust", { appendSystemPrompt: " ", trustWorkspace: false }],
    [
      "an added text with a system prompt in one without trust",
      { systemPrompt: "a", appendSystemPrompt: "b", trustWorkspace: false }
    ],
    ["names of tools and servers", { allowedTools: ["*", "mcp_*", "mcp_my_server_*", "mcp_a.b-c_add", "glob"] }],
    ["brackets in a rule", { allowedTools: ["run_shell_command(echo (a))"] }]
  ])("%s", (_, params) => {
    assert.isTrue(isTaken(params))
  })
})

describe("extraArgs that contradict", () => {
  const managed = [
    "--output-format", "--outputFormat", "-o", "--prompt", "-p", "--prompt-interactive", "-i", "--model", "-m",
    "--approval-mode", "--approvalMode", "--yolo", "-y", "--policy", "--allowed-tools", "--allowed-mcp-server-names",
    "--resume", "-r", "--session-id", "--session-file", "--list-sessions", "--delete-session", "--list-extensions", "-l",
    "--include-directories", "--skip-trust", "--acp", "--experimental-acp", "--help", "-h", "--version", "-v", "--", "-dy"
  ] // biome-ignore format: one list

  it.each(managed)("%s", (name) => {
    for (const extraArgs of [[name], [`${name}=x`], ["--debug", name, "x"]]) {
      const reason = refusal({ extraArgs })
      assert.deepInclude(reason, { _tag: "InvalidParams", option: "extraArgs" })
      assert.include(reason.message, name)
    }
  })

  it("does not show the value, which may be a secret", () => {
    assert.notInclude(refusal({ extraArgs: ["--policy=secret"] }).message, "secret")
  })

  it.each([[["--debug"]], [["-d"]], [["-s"]], [["-e", "none"]], [["--modelish"]], [["--raw-output"]]])(
    "%j does not",
    (extraArgs) => {
      assert.isTrue(isTaken({ extraArgs }))
    }
  )
})

it("has none of the options that only other CLIs can do", () => {
  const lacking = ["forkSession", "settingSources", "fallbackModel", "effort", "maxBudgetUsd", "outputSchema"] as const
  for (const option of lacking) assert.isFalse(gemini.supports.has(option), option)
})
