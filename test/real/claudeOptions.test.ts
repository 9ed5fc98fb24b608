/** A prompt, a session and every option reach the real Claude Code, and a recording has its answer. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType, openAgent } from "./rig/agent.ts"

describe("sessions", () => {
  it("resumes one under its id, forks it under another, and counts only the run's own cost", async () => {
    await using real = await openAgent([say("One.")])
    const first = await real.run({ prompt: "first" })
    const second = await real.run({ prompt: "second", sessionId: first.sessionId })
    const forked = await real.run({ prompt: "third", sessionId: first.sessionId, forkSession: true })
    expect(second.sessionId).toBe(first.sessionId)
    expect(forked.sessionId).not.toBe(first.sessionId)
    expect(second.totalCostUsd).toBeCloseTo(first.totalCostUsd ?? Number.NaN, 8)
    expect(second.usage).toEqual(first.usage)
    expect(JSON.stringify((await real.api.arrival(3)).body.messages)).toContain("second")
  })

  it("opens one under a chosen id", async () => {
    const newSessionId = "11111111-2222-4333-8444-555555555555"
    await using real = await openAgent([say("One.")])
    expect((await real.run({ newSessionId })).sessionId).toBe(newSessionId)
  })

  it("says that a session is gone, and makes up no id for it", async () => {
    await using real = await openAgent([say("One.")])
    const { result, error } = await real.collect({ sessionId: "00000000-0000-4000-8000-000000000000" })
    expect(error).toMatchObject({ category: "session_not_found", retryable: false })
    expect(result).toMatchObject({ outcome: "failed", sessionId: undefined })
  })
})

describe("prompts and options", () => {
  it.each([
    ["200 KB", "long prompt ".repeat(17_000)],
    ["a leading dash", "--help me please"],
    ["a lone flag", "-v"]
  ])("hands over %s as it is", async (_, words) => {
    await using real = await openAgent([say("ok")])
    expect((await real.run({ prompt: words })).outcome).toBe("completed")
    expect((await real.api.arrival(1)).prompt).toBe(words)
  })

  it("takes a leading slash for text unless told otherwise", async () => {
    await using real = await openAgent([say("ok")])
    expect((await real.run({ prompt: "/cost of living" })).text).toBe("ok")
    expect((await real.api.arrival(1)).prompt.trim()).toBe("/cost of living")
    const command = await real.run({ prompt: "/cost", slashCommands: true })
    expect(command).toMatchObject({ outcome: "completed", text: expect.stringContaining("cost") })
    expect(real.api.requests).toHaveLength(1)
  })

  it("passes every option on", async () => {
    await using real = await openAgent([say("ok")])
    const directory = join(real.sandbox.home, "a, b")
    const { events } = await real.collect({
      systemPrompt: "- You are brief.",
      appendSystemPrompt: "And kind.",
      model: "sonnet",
      effort: "low",
      permissionMode: "plan",
      disallowedTools: ["WebFetch", "WebSearch"],
      additionalDirectories: [directory],
      maxBudgetUsd: 5,
      fallbackModel: "haiku",
      trustWorkspace: false,
      strictMcpServers: true
    })
    const request = await real.api.arrival(1)
    expect(request.systemPrompt).toContain("- You are brief.")
    expect(request.systemPrompt).toContain("And kind.")
    expect(request.body.model).toContain("sonnet")
    expect(request.toolNames).not.toContain("WebFetch")
    expect(ofType(events, "session")).toMatchObject([{ permissionMode: "plan" }])
  })

  it("records what was printed, without the key", async () => {
    await using real = await openAgent([
      call(tool("Bash", { command: "echo $ANTHROPIC_API_KEY", description: "run a command" }, "toolu_a")),
      say("Done.")
    ])
    const record = join(real.sandbox.tmp, "wire.ndjson")
    const { result } = await real.collect({ allowedTools: ["Bash"], record })
    const recorded = readFileSync(record, "utf8")
    const key = real.values["ANTHROPIC_API_KEY"] ?? ""
    expect(key.length).toBeGreaterThan(3)
    expect((await real.api.arrival(2)).toolResults).toMatchObject([{ text: key }])
    expect(recorded).not.toContain(key)
    expect(recorded).toContain("<redacted>")
    expect(recorded).toContain(result.sessionId)
  })
})
