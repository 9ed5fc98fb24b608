/** What only Gemini CLI's live sessions have: files by their diff, modes, plans, servers in the session, resuming. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals, createAgent, type HostTool, type PermissionRequestEvent } from "../../src/promise.ts"
import { call, fail, message, say, text, tool } from "../../src/testing/servers/answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { commandFor } from "./rig/layered.ts"
import { command, openLive, take } from "./rig/live.ts"

const write = (path: string, content: string) => call(tool("write_file", { file_path: path, content }))
const allowAll = { approvals: [Approvals.allow()] }
const tiny = { command: process.execPath, args: [mcpServerPath] }

describe("files", () => {
  it("are written when that is allowed, and whoever is asked sees what would be in them", async () => {
    const asked: Array<PermissionRequestEvent> = []
    const script = [write("a.txt", "one\ntwo\n"), write("b.txt", "x"), say("done")]
    await using live = await openLive("gemini", script, {
      onPermission: async (request) => {
        asked.push(request)
        return asked.length === 1 ? { decision: "allow" } : { decision: "deny" }
      }
    })
    const { events, result } = await take(live.session, "go")
    const path = join(live.sandbox.work, "a.txt")
    expect(asked[0]).toMatchObject({ toolName: "write_file", kind: "file_change", title: path, paths: [path] })
    expect(asked[0]?.input).toEqual({ file_path: path, content: "one\ntwo\n" })
    expect(asked[0]?.preview).toContain("two")
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n")
    expect(existsSync(join(live.sandbox.work, "b.txt"))).toBe(false)
    expect(ofType(events, "tool_result").map(({ isError }) => isError)).toEqual([false, true])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("commands", () => {
  it("tell what they print", async () => {
    await using live = await openLive("gemini", [call(command.gemini("echo one; exit 3")), say("done")], allowAll)
    const { events } = await take(live.session, "go")
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "one", isError: false }])
  })

  it("end when the turn is interrupted", async () => {
    const script = [call(command.gemini("touch begun; sleep 600123")), say("after")]
    await using live = await openLive("gemini", script, allowAll)
    const first = await take(live.session, "one", async (event) => {
      if (event.type !== "permission_decision") return
      await expect.poll(() => existsSync(join(live.sandbox.work, "begun")), { timeout: 20_000 }).toBe(true)
      void live.session.interrupt()
    })
    expect(first.result.outcome).toBe("aborted")
    expect(processesWith("600123")).toEqual([])
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })

  it("that hide in a session of their own do not survive the session", async () => {
    const hidden = "setsid sleep 599 & nohup sleep 598 & touch begun; sleep 597"
    const live = await openLive("gemini", [call(command.gemini(hidden))], allowAll)
    const turn = take(live.session, "go")
    try {
      await expect.poll(() => existsSync(join(live.sandbox.work, "begun")), { timeout: 20_000 }).toBe(true)
      expect(processesWith(live.sandbox.home).length).toBeGreaterThan(1)
    } finally {
      const before = processesWith(live.sandbox.home)
      await live.session.close()
      const after = processesWith(live.sandbox.home)
      await live[Symbol.asyncDispose]()
      expect(before.length).toBeGreaterThan(3)
      expect(after).toEqual([])
    }
    expect((await turn).result.outcome).toBe("aborted")
  })
})

describe("changes", () => {
  it("of the permission mode hold at once, and are no text of the answer", async () => {
    await using live = await openLive("gemini", [write("a.txt", "x"), say("done")])
    await live.session.setPermissionMode("accept-edits")
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "permission_request")).toEqual([])
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: false }])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("of the model hold from the next turn on", async () => {
    await using live = await openLive("gemini", [say("one"), say("two")])
    await take(live.session, "go")
    await live.session.setModel("gemini-2.5-pro")
    await take(live.session, "go on")
    expect((await live.api.arrival(1)).model).toContain("gemini-2.5-flash")
    expect((await live.api.arrival(2)).model).toContain("gemini-2.5-pro")
  })

  it("that an untrusted workspace does not allow are told", async () => {
    await using live = await openLive("gemini", [say("one")], { trustWorkspace: false })
    await expect(live.session.setPermissionMode("bypass")).rejects.toMatchObject({
      reason: { _tag: "AgentFailed", code: "change_refused" }
    })
    expect((await take(live.session, "go")).result.outcome).toBe("completed")
  })
})

describe("modes", () => {
  const touch = call(command.gemini("touch made"))

  it("decide who is asked: nobody in bypass, and nobody about files in accept-edits", async () => {
    await using bypass = await openLive("gemini", [touch, say("done")], { permissionMode: "bypass" })
    expect(ofType((await take(bypass.session, "go")).events, "permission_request")).toEqual([])
    expect(existsSync(join(bypass.sandbox.work, "made"))).toBe(true)
    const script = [write("a.txt", "x"), touch, say("done")]
    await using edits = await openLive("gemini", script, { permissionMode: "accept-edits" })
    const { events } = await take(edits.session, "go")
    expect(ofType(events, "permission_request")).toMatchObject([{ kind: "command", command: "touch made" }])
    expect(existsSync(join(edits.sandbox.work, "a.txt"))).toBe(true)
    expect(existsSync(join(edits.sandbox.work, "made"))).toBe(false)
  })

  it("of rules about tools: what is allowed asks nobody, and what is forbidden is not there", async () => {
    const params = { allowedTools: ["run_shell_command(touch)"], disallowedTools: ["write_file"] }
    await using live = await openLive("gemini", [touch, say("done")], params)
    expect(ofType((await take(live.session, "go")).events, "permission_request")).toEqual([])
    expect(existsSync(join(live.sandbox.work, "made"))).toBe(true)
    expect((await live.api.arrival(1)).toolNames).not.toContain("write_file")
  })
})

describe("plans", () => {
  it("are shown to whoever approves them", async () => {
    const plans: Array<string | undefined> = []
    const plan = write("p.md", "1. Look.\n2. Write.\n")
    const script = [plan, call(tool("exit_plan_mode", { plan_filename: "p.md" })), say("done")]
    await using live = await openLive("gemini", script, {
      permissionMode: "plan",
      approvals: [
        Approvals.plan(async (request) => {
          plans.push(request.plan)
          return { decision: "allow" }
        })
      ]
    })
    const { events, result } = await take(live.session, "go")
    expect(plans).toEqual(["1. Look.\n2. Write.\n"])
    expect(ofType(events, "session").map(({ permissionMode }) => permissionMode)).toContain("default")
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

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
    const add: HostTool = {
      name: "add",
      description: "Adds two numbers.",
      inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
      run: (input) => {
        const { a, b } = input as { a: number; b: number } // by its schema
        return String(a + b)
      }
    }
    const script = [call(tool("mcp_host_add", { a: 2, b: 40 })), say("done")]
    await using live = await openLive("gemini", script, { tools: [add], ...allowAll })
    const { events } = await take(live.session, "go")
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "42", isError: false }])
  })
})

describe("failures", () => {
  it("of the API end the turn, and not the session", async () => {
    await using live = await openLive("gemini", [fail(400), say("after")])
    const { events, result } = await take(live.session, "one")
    expect(ofType(events, "error")).toMatchObject([{ code: "INVALID_ARGUMENT", category: "invalid_request" }])
    expect(result.outcome).toBe("failed")
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
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
    expect(result.text).toContain("0.61.0")
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

describe("conversations", () => {
  it("are resumed again and again, also within the minute in which they were begun", async () => {
    await using live = await openLive("gemini", [say("First."), say("Second."), say("Third."), say("Fourth.")])
    const { sessionId } = (await take(live.session, "one")).result
    await live.session.close()
    await using agent = createAgent("gemini", { command: commandFor("gemini"), env: live.sandbox.env })
    for (const [index, prompt] of ["two", "three"].entries()) {
      const session = await agent.open({ workingDirectory: live.sandbox.work, ...(sessionId && { sessionId }) })
      const { events, result } = await take(session, prompt)
      expect(result).toMatchObject({ outcome: "completed", text: ["Second.", "Third."][index], sessionId })
      expect(events.filter(({ type }) => type === "tool_use")).toEqual([])
      await session.close()
    }
    const run = agent.run({ prompt: "four", workingDirectory: live.sandbox.work, ...(sessionId && { sessionId }) })
    expect(await run).toMatchObject({ outcome: "completed", text: "Fourth.", sessionId })
    expect((await live.api.arrival(4)).prompts.join("|")).toMatch(/one.*two.*three.*four/s)
  })

  it("that are not there cannot be resumed", async () => {
    const opening = openLive("gemini", [say("never")], { sessionId: "00000000-0000-4000-8000-000000000000" })
    await expect(opening).rejects.toMatchObject({ reason: { _tag: "AgentFailed", category: "session_not_found" } })
  })
})
