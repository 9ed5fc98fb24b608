// Proves the rig itself with the bare CLI: no way out but loopback, an environment made from nothing, and a scripted
// server whose every kind of answer the unmodified Claude Code understands.
import { execFileSync } from "node:child_process"
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { describe, expect, it } from "vitest"
import { type MessagesScript, messages } from "../../../src/testing/ModelServer.ts"
import { makeFolders } from "../../../src/testing/sandbox/sandbox.ts"
import {
  type Answer,
  call,
  cut,
  drip,
  fail,
  message,
  say,
  silence,
  stall,
  text,
  think,
  tool
} from "../../../src/testing/servers/Answer.ts"
import { claudeCommand, claudeEnv, type Line, mcpServerPath, runClaude, startClaude } from "./claude.ts"
import { versionOf } from "./install.ts"

interface Setting {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

const open = async (script: MessagesScript, { args = [], env = {}, stdin = "go on" }: Setting = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await messages(script))
  const sandbox = stack.use(await makeFolders())
  const options = { sandbox, args, stdin, env: claudeEnv(sandbox, api.url, env) }
  return { api, options, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const play = async (script: MessagesScript, setting?: Setting) => {
  await using opened = await open(script, setting)
  const ended = await runClaude(opened.options)
  return { ...ended, api: opened.api, result: ended.lines.findLast((line) => line.type === "result") }
}

const isTextDelta = (line: Line): boolean => JSON.stringify(line).includes('"text_delta"')

const mcpConfig = (server: Readonly<Record<string, unknown>>): ReadonlyArray<string> => [
  `--mcp-config=${JSON.stringify({ mcpServers: { tiny: server } })}`,
  "--allowedTools=mcp__tiny"
]

describe("the namespace", () => {
  it("has no interface but loopback, and a connect to anywhere else fails at once", async () => {
    expect(Object.keys(networkInterfaces())).toEqual(["lo"])
    const code = await new Promise((resolve) => {
      const socket = connect(80, "192.0.2.1")
      socket.once("connect", () => resolve("connected"))
      socket.once("error", (error) => resolve("code" in error ? error.code : error))
    })
    expect(code).toBe("ENETUNREACH")
  })

  it("knows nothing of the machine's environment", async () => {
    expect(Object.keys(process.env).filter((name) => /proxy|npm_|token/i.test(name))).toEqual([])
    await using sandbox = await makeFolders()
    const env = claudeEnv(sandbox, "http://127.0.0.1:9")
    expect(execFileSync(claudeCommand, ["--version"], { env, encoding: "utf8" })).toBe(
      `${versionOf("claude")} (Claude Code)\n`
    )
  })
})

describe("the server, met by the real CLI", () => {
  it("says a text, and shows what the model was sent", async () => {
    const stdin = "  héllo\r\n- wörld 🙂\n"
    const { code, stderr, api, result } = await play([say(["Hel", "lo"])], {
      stdin,
      args: ["--system-prompt=Be brief."]
    })
    expect([code, stderr, result?.["result"], result?.["is_error"]]).toEqual([0, "", "Hello", false])
    expect(api.requests.map(({ kind, body }) => [kind, body.stream])).toEqual([["main", true]])
    const [requested] = api.requests
    expect(requested?.prompt).toBe(stdin)
    expect(requested?.systemPrompt).toContain("Be brief.")
  })

  it("thinks, then calls one tool", async () => {
    const script = [call(tool("Bash", { command: "echo hi" }, "toolu_one")), think("hm", "done")]
    const { code, api, lines } = await play(script, { args: ["--allowedTools=Bash"] })
    expect(code).toBe(0)
    const second = await api.arrival(2)
    expect(second.toolNames).toContain("Bash")
    expect(second.toolResults).toEqual([{ id: "toolu_one", text: "hi", isError: false }])
    expect(lines.some((line) => JSON.stringify(line).includes('"thinking_delta"'))).toBe(true)
  })

  it("calls parallel tools of which one fails", async () => {
    const tools = [tool("Bash", { command: "echo a" }, "toolu_a"), tool("Bash", { command: "exit 3" }, "toolu_b")]
    const { api, result } = await play([message([text("both"), ...tools]), say("done")], {
      args: ["--allowedTools=Bash"]
    })
    expect(result?.["result"]).toBe("done")
    const found = (await api.arrival(2)).toolResults.map(({ id, isError }) => [id, isError])
    expect(found).toEqual([
      ["toolu_a", false],
      ["toolu_b", true]
    ])
  })

  it("tells a sub-agent from the main thread", async () => {
    const input = { description: "d", prompt: "look", subagent_type: "general-purpose", run_in_background: false }
    const script = { main: [call(tool("Agent", input)), say("done")], agents: [say("the report")] }
    const { api } = await play(script, { args: ["--allowedTools=Agent"] })
    expect(api.requests.map((request) => request.kind)).toEqual(["main", "agent", "main"])
    expect(api.of("agent").map((request) => request.prompt)).toEqual(["look"])
    expect((await api.arrival(2)).toolResults[0]?.text).toContain("the report")
  })

  it("reaches a healthy MCP server", async () => {
    const args = mcpConfig({ command: process.execPath, args: [mcpServerPath], env: { COLOUR: "green" } })
    const calls = [
      tool("mcp__tiny__add", { a: 2, b: 3 }),
      tool("mcp__tiny__env", { name: "COLOUR" }),
      tool("mcp__tiny__fail", { message: "no" })
    ]
    const { api } = await play([call(...calls), say("done")], { args })
    const found = (await api.arrival(2)).toolResults.map((value) => [value.text, value.isError])
    expect(found).toEqual([
      ["5", false],
      ["green", false],
      // The CLI adds advice of its own to an error.
      [expect.stringMatching(/^no\n/), true]
    ])
  })

  it("goes on without a dead MCP server", async () => {
    const { lines, result } = await play([say("done")], { args: mcpConfig({ command: "/nowhere/tiny" }) })
    const init = lines.find((line) => line["subtype"] === "init")
    expect(init?.["mcp_servers"]).toMatchObject([{ name: "tiny", status: "failed" }])
    expect(result?.["is_error"]).toBe(false)
  })

  it.each([
    [400, 6],
    [401, 2],
    [429, 2],
    [529, 2]
  ])("fails with status %i", async (status, requests) => {
    const { code, api, result } = await play([fail(status)], { env: { CLAUDE_CODE_MAX_RETRIES: "1" } })
    expect([code, result?.["is_error"], result?.["api_error_status"]]).toEqual([1, true, status])
    expect(api.requests.length).toBe(requests)
  })

  it("says again what a cut stream lost", async () => {
    const { api, lines, result } = await play([cut("lost"), say("kept")])
    expect(result?.["result"]).toBe("kept")
    expect(lines.some((line) => JSON.stringify(line).includes('"abandoned_blocks"'))).toBe(true)
    expect(api.requests.length).toBe(2)
  })

  it("drops a connection when the test says so", async () => {
    await using opened = await open([stall("lost"), say("kept")])
    await using run = startClaude(opened.options)
    await run.line(isTextDelta)
    const request = await opened.api.arrival(1)
    request.drop()
    const { lines } = await run.ended
    expect(lines.findLast((line) => line.type === "result")?.["result"]).toBe("kept")
  })

  it("answers without streaming when every stream breaks", async () => {
    const broken = say("lost", { ending: "error" })
    const env = { CLAUDE_CODE_MAX_RETRIES: "1" }
    const { api, result } = await play((request) => (request.body.stream ? broken : say("kept")), { env })
    expect(result?.["result"]).toBe("kept")
    expect(api.requests.at(-1)?.body.stream).toBe(false)
  })

  it.each<[string, Answer, boolean]>([
    ["before the first byte", silence(), false],
    ["in the middle of a text", stall("some words"), true],
    ["never, but drips", drip(), true]
  ])("falls silent %s", async (_, answer, hasText) => {
    await using opened = await open([answer])
    await using run = startClaude(opened.options)
    const request = await opened.api.arrival(1)
    await request.sent
    if (hasText) await run.line(isTextDelta)
    run.child.kill("SIGTERM")
    expect((await run.ended).code).toBe(143)
    await request.closed
  })
})
