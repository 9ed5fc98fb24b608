/** MCP servers and the real Gemini CLI: those of the project, and those that are handed over through its settings. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { ModelRequest } from "../../src/testing/ModelServer.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { openGemini } from "./rig/gemini.ts"

const readOnly = ["list_directory", "read_file", "grep_search", "glob"]
const tiny = { command: process.execPath, args: [mcpServerPath] }
const projectServers = { mcpServers: { tiny: { ...tiny, trust: true } } }

describe("servers of the project", () => {
  const dead = { command: "/no/such/server" }

  it("work, and one that is dead does no harm", async () => {
    const files = { "work/.gemini/settings.json": { mcpServers: { ...projectServers.mcpServers, dead } } }
    const calls = [tool("mcp_tiny_env", { name: "HOME" }), tool("mcp_tiny_fail", { message: "boom" })]
    await using real = await openGemini([call(...calls), say("Done.")], { files })
    const { events, result } = await real.collect()
    expect(ofType(events, "tool_use")).toMatchObject([{ kind: "mcp", title: "tiny: env" }, { title: "tiny: fail" }])
    expect(ofType(events, "tool_result")).toMatchObject([
      { isError: false, output: real.sandbox.home },
      { isError: true }
    ])
    expect(result).toMatchObject({ outcome: "completed", text: "Done." })
  })

  it("are hidden from a strict run", async () => {
    await using real = await openGemini([say("ok")], { files: { "work/.gemini/settings.json": projectServers } })
    expect((await real.collect({ strictMcpServers: true })).result.outcome).toBe("completed")
    expect((await real.api.arrival(1)).toolNames.filter((name) => name.startsWith("mcp_"))).toEqual([])
  })

  it("are not started in a workspace that is not to be trusted, although the user trusts it", async () => {
    await using real = await openGemini([say("ok")], { files: { "work/.gemini/settings.json": projectServers } })
    const trusted = join(real.sandbox.home, "trusted.json")
    const env = { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_TRUSTED_FOLDERS_PATH: trusted }
    const { result } = await real.collect({ trustWorkspace: false, env })
    expect(result).toMatchObject({ outcome: "completed", text: "ok" })
    expect((await real.api.arrival(1)).toolNames).toEqual(expect.arrayContaining(readOnly))
    expect((await real.api.arrival(1)).toolNames.filter((name) => name.startsWith("mcp_"))).toEqual([])
  })
})

describe("servers that are handed over", () => {
  const settingsOf = (work: string) => join(work, ".gemini/settings.json")

  it("get their secrets as they are, and leave nothing behind", async () => {
    const nasty = `pa$HOME \\$x $$ ${"$".concat("{y:-z}")} 'q' "d"`
    const calls = ["SECRET", "EMPTY"].map((name) => tool("mcp_tiny_env", { name }))
    await using real = await openGemini([call(...calls), say("Done.")])
    const { events, result } = await real.collect({
      mcpServers: { tiny: { ...tiny, env: { SECRET: nasty, EMPTY: "" } } }
    })
    expect(ofType(events, "tool_result").map((event) => event.output)).toEqual([nasty, ""])
    expect(result).toMatchObject({ outcome: "completed", text: "Done." })
    expect(existsSync(join(real.sandbox.work, ".gemini"))).toBe(false)
  })

  it("stand beside those of the project, whose file comes back; a dead one does no harm", async () => {
    const settings = `{ // mine\n  "mcpServers": { "own": ${JSON.stringify({ ...tiny, trust: true })} }\n}\n`
    const files = { "work/.gemini/settings.json": settings }
    const script = [
      call(tool("mcp_tiny_fail", { message: "boom" }), tool("mcp_own_env", { name: "HOME" })),
      say("Done.")
    ]
    await using real = await openGemini(script, { files })
    const { events } = await real.collect({ mcpServers: { tiny, dead: { command: "/no/such/server" } } })
    expect(ofType(events, "tool_result").map((event) => event.isError)).toEqual([true, false])
    expect(readFileSync(settingsOf(real.sandbox.work), "utf8")).toBe(settings)
  })

  it("are the only ones in a strict run, and may not do what is denied", async () => {
    const files = { "work/.gemini/settings.json": projectServers }
    await using real = await openGemini([say("ok")], { files })
    const mcpServers = { my_server: tiny }
    await real.collect({ mcpServers, strictMcpServers: true, disallowedTools: ["mcp_my_server_add"] })
    const names = (await real.api.arrival(1)).toolNames.filter((name) => name.startsWith("mcp_"))
    expect(names.sort()).toEqual(["mcp_my_server_env", "mcp_my_server_fail"])
  })

  it("are each run's own when two begin at once in one directory, and the file comes back", async () => {
    const settings = '{ "ui": {} } // mine\n'
    const files = { "work/.gemini/settings.json": settings }
    const secretOf = (request: ModelRequest) => (request.prompts.includes("first") ? "one" : "two")
    const script = (request: ModelRequest) =>
      request.toolResults.length > 0 ? say(secretOf(request)) : call(tool("mcp_tiny_env", { name: "SECRET" }))
    await using real = await openGemini(script, { files })
    const run = (prompt: string, secret: string) =>
      real.collect({ prompt, mcpServers: { tiny: { ...tiny, env: { SECRET: secret } } } })
    const runs = await Promise.all([run("first", "one"), run("second", "two")])
    expect(runs.map(({ result }) => result.text)).toEqual(["one", "two"])
    expect(runs.map(({ events }) => ofType(events, "tool_result").map((event) => event.output))).toEqual([
      ["one"],
      ["two"]
    ])
    expect(readFileSync(settingsOf(real.sandbox.work), "utf8")).toBe(settings)
  })

  it("end the run when they hold up its start", async () => {
    const mute = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] }
    await using real = await openGemini([say("never")])
    const { error } = await real.collect({ mcpServers: { mute }, timeouts: { startup: 3_000 } })
    expect(error).toMatchObject({ category: "timeout", code: "timeout_startup" })
    expect(existsSync(join(real.sandbox.work, ".gemini"))).toBe(false)
    expect(processesWith(real.sandbox.home)).toEqual([])
  })

  it("the most turns end the run, and the settings come back", async () => {
    await using real = await openGemini([call(tool("glob", { pattern: "*" })), say("never")])
    const { error } = await real.collect({ maxTurns: 1 })
    expect(error).toMatchObject({ code: "FatalTurnLimitedError", retryable: false })
    expect(existsSync(join(real.sandbox.work, ".gemini"))).toBe(false)
  })
})
