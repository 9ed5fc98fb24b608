/** Options that the CLI could not honour are refused before anything is started, by the name of the option. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { plan } from "../../../../src/cli/claude/command.ts"
import type { AgentExecuteParams } from "../../../../src/contract/AgentExecuteParams.ts"

type Params = Partial<AgentExecuteParams>

const context = { env: {}, workingDirectory: "/workspace", privateDirectory: "/private" }

const planned = (params: Params) => plan({ prompt: "hello", ...params }, {}, context)
const refusal = (params: Params) => Result.getOrThrow(Result.flip(planned(params)))
const isTaken = (params: Params) => Result.isSuccess(planned(params))

const session = "11111111-2222-4333-8444-555555555555"

describe("refuses", () => {
  const table: ReadonlyArray<readonly [string, Params, string]> = [
    ["an empty prompt", { prompt: "" }, "prompt"],
    ["a blank prompt", { prompt: " \n\t" }, "prompt"],
    ["an empty session id", { sessionId: "" }, "sessionId"],
    ["a session id that begins with -", { sessionId: "-p" }, "sessionId"],
    ["an old session that is not kept", { sessionId: session, ephemeral: true }, "ephemeral"],
    ["a fork of nothing", { forkSession: true }, "forkSession"],
    ["a new session id that is not a UUID", { newSessionId: "my-run" }, "newSessionId"],
    ["a new session id that begins with -", { newSessionId: "--help" }, "newSessionId"],
    ["two session ids without a fork", { sessionId: session, newSessionId: session }, "newSessionId"],
    ["two session ids and no fork", { sessionId: session, newSessionId: session, forkSession: false }, "newSessionId"]
  ]

  it.each(table)("%s", (_, params, option) => {
    const reason = refusal(params)
    assert.deepInclude(reason, { _tag: "InvalidParams", option, category: "invalid_request", retryable: false })
    assert.match(reason.message, new RegExp(`^${option}: `))
  })

  it("a prompt over 10 MB, with its size in bytes", () => {
    assert.deepInclude(refusal({ prompt: "ä".repeat(5_000_001) }), {
      _tag: "CommandLineTooLong",
      option: "prompt",
      bytes: 10_000_002,
      limitBytes: 10_000_000
    })
  })

  it("never shows the prompt", () => {
    const prompt = `my secret plan ${"x".repeat(10_000_000)}`
    assert.notInclude(refusal({ prompt }).message, "secret plan")
  })
})

describe("extraArgs that contradict", () => {
  const managed = [
    "-p", "--print", "--output-format", "--input-format", "--verbose", "--include-partial-messages",
    "--replay-user-messages", "--permission-prompt-tool", "--model", "--fallback-model", "--effort",
    "--permission-mode", "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools",
    "--system-prompt", "--system-prompt-file", "--append-system-prompt", "--append-system-prompt-file",
    "--max-turns", "--max-budget-usd", "--json-schema", "--add-dir", "-r", "--resume", "-c", "--continue",
    "--fork-session", "--session-id", "--mcp-config", "--strict-mcp-config", "--setting-sources"
  ] // biome-ignore format: one list

  it.each(managed)("%s", (name) => {
    for (const extraArgs of [[name], [`${name}=x`], ["--bare", name, "x"]]) {
      const reason = refusal({ extraArgs })
      assert.deepInclude(reason, { _tag: "InvalidParams", option: "extraArgs" })
      assert.include(reason.message, name)
    }
  })

  it("does not show the value, which may be a secret", () => {
    assert.notInclude(refusal({ extraArgs: ['--mcp-config={"token":"sk-1"}'] }).message, "sk-1")
  })

  it.each([[["--"]], [["--", "a second prompt"]], [[`-r${session}`]], [["-pc"]]])(
    "%j: it would bring a prompt or a session of its own",
    (extraArgs) => {
      assert.deepInclude(refusal({ extraArgs }), { _tag: "InvalidParams", option: "extraArgs" })
    }
  )

  it.each([[["--bare"]], [["--settings", '{"model":"opus"}']], [["--tools=Read"]], [["--modelish"]]])(
    "%j does not",
    (extraArgs) => {
      assert.isTrue(isTaken({ extraArgs }))
    }
  )
})
