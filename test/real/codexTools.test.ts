/** The tools and MCP servers of the real Codex, with nothing secret on a command line. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { call, message, say, stall, text, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { openCodex, shell } from "./rig/codex.ts"

const bypass = { permissionMode: "bypass" } as const

describe("tools", () => {
  it("runs one, with its input and its output", async () => {
    await using real = await openCodex([call(shell("echo hi", "call_a")), say("Done.")])
    const { events, result } = await real.collect()
    const command = "/bin/bash -lc 'sleep 0.3; echo hi'"
    expect(ofType(events, "tool_use")).toMatchObject([
      { toolName: "command_execution", kind: "command", title: "sleep 0.3; echo hi", input: { command } }
    ])
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "hi\n", isError: false, raw: { exitCode: 0 } }])
    expect(result).toMatchObject({ text: "Done.", usage: { inputTokens: 200 } })
  })

  it("runs several, one of which fails", async () => {
    const calls = [shell("echo one"), shell("echo two >&2; exit 3"), shell("echo three")]
    await using real = await openCodex([message([text("Three."), ...calls]), say("Done.")])
    const { events, result } = await real.collect(bypass)
    const results = new Map(ofType(events, "tool_result").map((event) => [event.toolId, event]))
    const reported = ofType(events, "tool_use").map(({ title, toolId }) => {
      const { output, isError } = results.get(toolId) ?? {}
      return [title, output, isError]
    })
    expect(reported.toSorted()).toEqual([
      ["sleep 0.3; echo one", "one\n", false],
      ["sleep 0.3; echo three", "three\n", false],
      ["sleep 0.3; echo two >&2; exit 3", "two\n", true]
    ])
    expect(result.text).toBe("Three.\n\nDone.")
  })

  it("writes nothing by default, and in the working directory where edits are accepted", async () => {
    const write = shell("echo hi > made; echo status $?")
    await using real = await openCodex((request) => (request.toolResults.length === 0 ? call(write) : say("Done.")))
    await real.collect()
    expect(existsSync(join(real.sandbox.work, "made"))).toBe(false)
    await real.collect({ permissionMode: "accept-edits" })
    expect(readFileSync(join(real.sandbox.work, "made"), "utf8")).toBe("hi\n")
  })

  it("sees through the script of a model of code mode", async () => {
    const script = 'const made = await tools.exec_command({ cmd: "sleep 0.3; echo nested" }); text(made.output)'
    await using real = await openCodex([call(tool("exec", script)), say("Done.")])
    const { events } = await real.collect({ model: "gpt-6.1-sol" })
    expect(ofType(events, "tool_use")).toMatchObject([{ kind: "command", title: "sleep 0.3; echo nested" }])
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "nested\n", isError: false }])
  })

  it("shows a sub-agent by its calls alone, and keeps its words out of the answer", async () => {
    await using real = await openCodex((request) => {
      const [spawned, ...others] = request.toolResults
      if (request.prompt === "look around") return say("Sub answer.")
      if (spawned === undefined) return call(tool("multi_agent_v1.spawn_agent", { message: "look around" }))
      if (others.length > 0) return say("All done.")
      const { agent_id } = JSON.parse(spawned.text)
      return call(tool("multi_agent_v1.wait_agent", { targets: [agent_id], timeout_ms: 20_000 }))
    })
    const { events, result } = await real.collect({ model: "of-an-older-kind" })
    expect(ofType(events, "tool_use").map(({ kind, toolName }) => [kind, toolName])).toEqual([
      ["subagent", "spawn_agent"],
      ["subagent", "wait"]
    ])
    expect(ofType(events, "tool_result").at(-1)?.output).toContain("Sub answer.")
    expect(result).toMatchObject({ outcome: "completed", text: "All done." })
  })

  it("changes files", async () => {
    const patch = "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n"
    await using real = await openCodex([call(tool("apply_patch", patch)), say("Done.")])
    const { events } = await real.collect({ permissionMode: "accept-edits" })
    const path = join(real.sandbox.work, "a.txt")
    expect(ofType(events, "tool_use")).toMatchObject([{ kind: "file_change", title: `add ${path}` }])
    expect(readFileSync(path, "utf8")).toBe("hello\n")
  })

  it("closes a command that still runs when the turn is over, and leaves nothing of it", async () => {
    await using real = await openCodex([call(shell("sleep 600", "call_a", { yield_time_ms: 600 })), say("Left it.")])
    const { events, result } = await real.collect(bypass)
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "did not finish", isError: true }])
    expect(result).toMatchObject({ outcome: "completed", text: "Left it." })
    expect(processesWith(real.sandbox.home)).toEqual([])
  })
})

describe("MCP servers", () => {
  const secret = "sk-very-secret"
  const tiny = { command: process.execPath, args: [mcpServerPath] }

  it("are reached, each with variables of its own, of which the command line shows nothing", async () => {
    const calls = [
      tool("mcp__one.add", { a: 2, b: 3 }),
      tool("mcp__one.env", { name: "TOKEN" }),
      tool("mcp__two.env", { name: "TOKEN" }),
      tool("mcp__two.fail", { message: "no" })
    ]
    await using real = await openCodex([call(...calls), stall("wait")])
    const controller = new AbortController()
    const mcpServers = {
      one: { ...tiny, env: { TOKEN: Redacted.make(secret) } },
      two: { ...tiny, env: { TOKEN: "it's $HOME" } }
    }
    const run = real.collect({ mcpServers, abortSignal: controller.signal })
    await (await real.api.arrival(2)).sent
    const lines = processesWith(real.sandbox.home).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8"))
    controller.abort()
    const { events } = await run
    expect(lines.join("\n")).toContain("mcp_servers.one=")
    expect(lines.join("\n")).not.toMatch(/sk-very-secret|it's/)
    expect(ofType(events, "tool_use").map((event) => [event.kind, event.title])).toEqual([
      ["mcp", "one: add"],
      ["mcp", "one: env"],
      ["mcp", "two: env"],
      ["mcp", "two: fail"]
    ])
    const input = ofType(events, "tool_result").map((event) => [event.output, event.isError] as const)
    expect(new Map(input)).toEqual(
      new Map([
        ["5", false],
        [secret, false],
        ["it's $HOME", false],
        ["no", true]
      ])
    )
    expect(readdirSync(real.sandbox.tmp).filter((name) => name.startsWith("reins-"))).toEqual([])
  })

  it("are reached over HTTP, with headers that the model's commands do not see", async () => {
    const known = new Set<string | undefined>()
    const server = createServer(async (incoming, response) => {
      known.add(incoming.headers.authorization)
      let body = ""
      for await (const chunk of incoming) body += chunk
      const requested = body === "" ? {} : JSON.parse(body)
      if (requested.id === undefined) return response.writeHead(incoming.method === "POST" ? 202 : 405).end()
      const tools = [{ name: "ping", inputSchema: { type: "object", properties: {} } }]
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion: requested.params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" }
        },
        "tools/list": { tools },
        "tools/call": { content: [{ type: "text", text: "pong" }] }
      }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id: requested.id, result: results[requested.method] ?? {} }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`
    try {
      await using real = await openCodex([call(tool("mcp__web.ping", {}), shell("env")), say("Done.")])
      const headers = { Authorization: Redacted.make(`Bearer ${secret}`) }
      const { events, result } = await real.collect({ mcpServers: { web: { url, headers } }, ...bypass })
      expect([...known]).toEqual([`Bearer ${secret}`])
      const outputs = ofType(events, "tool_result").map((event) => event.output)
      expect(outputs[0]).toBe("pong")
      expect(outputs[1]).toContain("HOME=")
      expect(outputs[1]).not.toContain(secret)
      expect(result.outcome).toBe("completed")
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it("end the run when one cannot be started, and name it", async () => {
    await using real = await openCodex([say("never")])
    const { result, error } = await real.collect({ mcpServers: { dead: { command: "/no/such/server" } } })
    expect(error).toMatchObject({ code: "exit_code" })
    expect(result).toMatchObject({ outcome: "failed", reason: "exited", text: "", exit: { code: 1 } })
    expect(result.stderrTail).toContain("required MCP servers failed to initialize: dead")
    expect(real.api.requests).toEqual([])
  })
})
