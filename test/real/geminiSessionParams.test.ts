/** The input of a live session of Gemini CLI: servers and functions of the host, prompts as texts or commands, options. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals } from "../../src/promise.ts"
import { call, message, say, text, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { add } from "./rig/hostTools.ts"
import { versionOf } from "./rig/install.ts"
import { openLive, take } from "./rig/live.ts"

const allowAll = { approvals: [Approvals.allow()] }
const tiny = { command: process.execPath, args: [mcpServerPath] }

describe("servers", () => {
  it("get their secrets as they are, and are asked about like all tools", async () => {
    const nasty = `pa$HOME \\$x $$ ${"$".concat("{y:-z}")} 'q' "d"`
    const kinds: Array<string> = []
    const script = [call(tool("mcp_tiny_env", { name: "SECRET" })), say("done")]
    await using live = await openLive("gemini", script, {
      mcpServers: { tiny: { ...tiny, env: { SECRET: nasty } } },
      onPermission: async ({ kind, title, input }) => {
        kinds.push(kind, title, JSON.stringify(input))
        return { decision: "allow" }
      }
    })
    const { events } = await take(live.session, "go")
    expect(kinds).toEqual(["mcp", "tiny: env", '{"name":"SECRET"}'])
    expect(ofType(events, "tool_result")).toMatchObject([{ output: nasty, isError: false }])
    expect(existsSync(join(live.sandbox.work, ".gemini"))).toBe(false)
  })

  it("can be the host's own functions", async () => {
    const script = [call(tool("mcp_host_add", { a: 2, b: 40 })), say("done")]
    await using live = await openLive("gemini", script, { tools: [add], ...allowAll })
    const { events } = await take(live.session, "go")
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "42", isError: false }])
  })
})

describe("prompts", () => {
  it.each(["/help", " \n/help", "$help"])("like %j are texts", async (prompt) => {
    await using live = await openLive("gemini", [say("text")])
    expect((await take(live.session, prompt)).result.text).toBe("text")
    expect((await live.api.arrival(1)).prompt).toContain(prompt)
  })

  it("are commands of the CLI where that is wanted", async () => {
    await using live = await openLive("gemini", [say("never")], { slashCommands: true })
    const { result } = await take(live.session, "/about")
    expect(result.text).toContain(versionOf("gemini"))
    expect(live.api.requests).toEqual([])
  })
})

describe("options", () => {
  it("of a run hold here, too", async () => {
    const script = [message([text("One."), tool("list_directory", { dir_path: "." })]), say("Two.")]
    await using live = await openLive("gemini", script, {
      model: "gemini-2.5-pro",
      systemPrompt: "Be brief.",
      maxTurns: 1,
      disallowedTools: ["run_shell_command"],
      strictMcpServers: true
    })
    const { result } = await take(live.session, "go")
    const first = await live.api.arrival(1)
    expect(first.model).toContain("gemini-2.5-pro")
    expect(first.systemPrompt).toContain("Be brief.")
    expect(first.toolNames).not.toContain("run_shell_command")
    expect(result).toMatchObject({ outcome: "failed", text: "One.", stopReason: "max_turn_requests" })
    expect(existsSync(join(live.sandbox.work, ".gemini"))).toBe(false)
  })
})
