/** The real, unmodified Claude Code through the plain door: what it says comes out as the contract promises. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { call, fail, message, say, text, think, tool } from "../../src/testing/servers/Answer.ts"
import { ofType, openAgent } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { versionOf } from "./rig/install.ts"

const bash = (command: string, id?: string) => tool("Bash", { command, description: "run a command" }, id)

describe("answers", () => {
  it("gives a text as it comes, and what the CLI tells of the session", async () => {
    await using real = await openAgent([say(["Hel", "lo ", "wörld 🎉"])])
    const { events, result } = await real.collect({ prompt: "héllo\r\n- 🙂\n" })
    expect(ofType(events, "text").map((event) => event.text)).toEqual(["Hel", "lo ", "wörld 🎉"])
    const [session] = ofType(events, "session")
    expect(session).toMatchObject({
      cliVersion: versionOf("claude"),
      workingDirectory: real.sandbox.work,
      mcpServers: []
    })
    expect(result).toMatchObject({ outcome: "completed", reason: "completed", text: "Hello wörld 🎉", aborted: false })
    expect(result).toMatchObject({ sessionId: session?.sessionId, numTurns: 1, stopReason: "end_turn" })
    expect(result.usage).toEqual({ inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 30 })
    expect((await real.api.arrival(1)).prompt).toBe("héllo\r\n- 🙂\n")
  })

  it("keeps thinking apart from the text", async () => {
    await using real = await openAgent([think("Let me see.", "Answer.")])
    const { events, result } = await real.collect()
    expect(
      ofType(events, "thinking")
        .map((event) => event.text)
        .join("")
    ).toBe("Let me see.")
    expect(result.text).toBe("Answer.")
  })

  it("withdraws what a broken connection took with it", async () => {
    // Only what the CLI has told can be withdrawn, so it gets time to read it first.
    const broken = say(["Hel", "lo"], { ending: "cut", cutAfterMs: 2_000 })
    await using real = await openAgent([broken, say(["Good", "bye"])])
    const { events, result } = await real.collect()
    expect(ofType(events, "notice").map((event) => event.kind)).toContain("text_voided")
    expect(result).toMatchObject({ outcome: "completed", text: "Goodbye" })
  })

  it("meets an output schema", async () => {
    await using real = await openAgent([call(tool("StructuredOutput", { answer: 42 })), say("")])
    const outputSchema = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] }
    const { result } = await real.collect({ outputSchema })
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 } })
  })
})

describe("a hook that runs after the answer", () => {
  /** The answer is whole before it; the result comes after it. */
  it("is waited for, however short the limit for a missing result is", async () => {
    await using real = await openAgent([say("Done.")])
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "sleep 4; echo checked" }] }] }
    await mkdir(join(real.sandbox.work, ".claude"), { recursive: true })
    await writeFile(join(real.sandbox.work, ".claude", "settings.json"), JSON.stringify({ hooks }))
    const { events, result } = await real.collect({ timeouts: { settle: "2 seconds" } })
    expect(result).toMatchObject({ outcome: "completed", text: "Done.", numTurns: 1 })
    expect(result.durationMs).toBeGreaterThan(4_000)
    expect(ofType(events, "notice").map((event) => event.kind)).not.toContain("result_missing")
  })
})

describe("tools", () => {
  it("runs one, with its input and its output", async () => {
    await using real = await openAgent([call(bash("echo hi", "toolu_a")), say("Done.")])
    const { events, result } = await real.collect({ allowedTools: ["Bash"] })
    expect(ofType(events, "tool_use")).toMatchObject([
      { toolId: "toolu_a", toolName: "Bash", kind: "command", title: "echo hi", input: { command: "echo hi" } }
    ])
    expect(ofType(events, "tool_result")).toMatchObject([{ toolId: "toolu_a", output: "hi", isError: false }])
    expect(result).toMatchObject({ text: "Done.", numTurns: 2 })
  })

  it("runs several in parallel, one of which fails", async () => {
    const calls = [bash("echo one", "toolu_a"), bash("echo two >&2; exit 3", "toolu_b"), bash("echo three", "toolu_c")]
    await using real = await openAgent([message([text("Three."), ...calls]), say("Done.")])
    const { events, result } = await real.collect({ allowedTools: ["Bash"] })
    expect(ofType(events, "tool_use").map((event) => event.toolId)).toEqual(["toolu_a", "toolu_b", "toolu_c"])
    const results = Object.fromEntries(ofType(events, "tool_result").map((event) => [event.toolId, event]))
    expect(results).toMatchObject({
      toolu_a: { isError: false, output: "one" },
      toolu_b: { isError: true, output: expect.stringContaining("two") },
      toolu_c: { isError: false, output: "three" }
    })
    expect(result.text).toBe("Three.\n\nDone.")
  })

  it("tells a denied permission and completes", async () => {
    await using real = await openAgent([call(bash("echo hi > f; cat f", "toolu_a")), say("Done.")])
    const { events, result } = await real.collect({ disallowedTools: ["Bash(echo *)"] })
    expect(ofType(events, "notice").filter((event) => event.kind === "permission_denied")).toHaveLength(1)
    expect(result).toMatchObject({ outcome: "completed", permissionDenials: [{ toolName: "Bash", toolId: "toolu_a" }] })
  })

  it("reaches a healthy MCP server and says which one is dead", async () => {
    await using real = await openAgent([call(tool("mcp__tiny__add", { a: 2, b: 3 }, "toolu_a")), say("5.")])
    const { events, result } = await real.collect({
      mcpServers: { tiny: { command: process.execPath, args: [mcpServerPath] }, dead: { command: "/no/such/server" } },
      allowedTools: ["mcp__tiny"]
    })
    expect(ofType(events, "notice").filter((event) => event.kind === "mcp_failed")).toMatchObject([
      { data: { name: "dead", status: "failed" } }
    ])
    expect(ofType(events, "tool_use")).toMatchObject([{ kind: "mcp", title: "tiny: add" }])
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "5", isError: false }])
    expect(result.outcome).toBe("completed")
  })

  it("keeps a sub-agent's words out of the answer, and counts its cost", async () => {
    const task = {
      description: "sub work",
      prompt: "do it",
      subagent_type: "general-purpose",
      run_in_background: false
    }
    await using real = await openAgent({
      main: [call(tool("Agent", task, "toolu_agent")), say("All done.")],
      agents: [call(bash("echo from sub", "toolu_sub")), say("Sub answer.")]
    })
    const { events, result } = await real.collect({ allowedTools: ["Bash"] })
    expect(ofType(events, "tool_use")).toMatchObject([
      { toolId: "toolu_agent", kind: "subagent", title: "sub work" },
      { toolId: "toolu_sub", parentToolId: "toolu_agent" }
    ])
    expect(result).toMatchObject({ outcome: "completed", text: "All done.", usage: { inputTokens: 400 } })
  })

  it.each([
    ["a short one, over before the first result", "true"],
    ["a longer one, over after it", "node -e 'setTimeout(() => {}, 1500)'"]
  ])("waits for background work and its turn: %s", async (_, command) => {
    const background = tool("Bash", { command, description: "work", run_in_background: true }, "toolu_a")
    await using real = await openAgent([call(background), say("Started it."), say("It has finished.")])
    const { result } = await real.collect({ allowedTools: ["Bash"] })
    expect(result).toMatchObject({ outcome: "completed", text: "Started it.\n\nIt has finished." })
    expect(result.exit).toBeUndefined()
  })
})

describe("failures of the API", () => {
  it.each([
    [400, "invalid_request", false],
    [401, "auth", false],
    [429, "rate_limit", true],
    [529, "overloaded", true]
  ])("tells a %i", async (status, category, retryable) => {
    await using real = await openAgent([fail(status)], { env: { CLAUDE_CODE_MAX_RETRIES: "1" } })
    const { events, result, error } = await real.collect()
    expect(error).toMatchObject({ category, retryable })
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed", text: "" })
    const retries = ofType(events, "notice").filter((event) => event.kind === "retry")
    expect(retries.length).toBe(status === 400 ? 0 : 1)
  })

  it("rejects with the same in the error channel", async () => {
    await using real = await openAgent([fail(401)], { env: { CLAUDE_CODE_MAX_RETRIES: "0" } })
    await expect(real.run()).rejects.toMatchObject({
      _tag: "AgentError",
      cli: "claude",
      reason: { _tag: "AgentFailed", category: "auth", code: "authentication_failed" },
      result: { outcome: "failed", reason: "agent_failed" }
    })
  })

  it("stops at the most turns", async () => {
    await using real = await openAgent({ main: [call(bash("true"))], afterwards: "repeat" })
    const { result, error } = await real.collect({ allowedTools: ["Bash"], maxTurns: 2 })
    expect(error).toMatchObject({ code: "error_max_turns", retryable: false })
    expect(result).toMatchObject({ outcome: "failed", errorSubtype: "error_max_turns" })
  })
})
