/** The real, unmodified OpenCode: what it says comes out as the contract promises, and nothing of it is left. */
import { watch } from "node:fs"
import { describe, expect, it } from "vitest"
import { call, cut, fail, message, say, stall, text, think, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType, summarize } from "./rig/agent.ts"
import { mcpServerPath } from "./rig/claude.ts"
import { openHome } from "./rig/opencode.ts"

const { open, home } = openHome()

const bash = (command: string, id?: string) => tool("bash", { command, description: "run a command" }, id)

describe("answers", () => {
  it("come with their thinking; a long prompt that looks like a flag and all options arrive", async () => {
    await using real = await open([think("Let me see.", "Hello wörld 🎉")])
    const words = `--help "me" {env:HOME}\n${"long prompt ".repeat(17_000)}`
    const { events, result } = await real.collect({
      prompt: words,
      model: "fake/m1",
      effort: "high",
      systemPrompt: '- You are "brief" {env:HOME}.\n',
      appendSystemPrompt: "And {file:/etc/passwd} kind."
    })
    expect(events.map(({ type }) => type)).toEqual(["session", "thinking", "text", "usage", "done"])
    expect(result).toMatchObject({ outcome: "completed", text: "Hello wörld 🎉", numTurns: 1, stopReason: "end_turn" })
    expect(result.usage).toEqual({ inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 0 })
    expect(result.totalCostUsd).toBeCloseTo(0.00012, 6)
    const request = await real.api.arrival(1)
    expect(request.prompt).toBe(words)
    expect(request.body.reasoning_effort).toBe("high")
    expect(request.systemPrompt).toMatch(/^- You are "brief" \{env:HOME\}\.\n/)
    expect(request.systemPrompt).toContain("And {file:/etc/passwd} kind.")
    expect([real.api.requests.length, real.api.others]).toEqual([1, []])
  })

  it("are asked for again when they broke off, and what was lost is not told twice", async () => {
    await using real = await open([cut("lost"), say("kept")])
    const { events, result } = await real.collect()
    expect(result).toMatchObject({ outcome: "completed", text: "kept" })
    expect(ofType(events, "notice").every(({ kind }) => kind === "retry")).toBe(true)
  })

  it("follow a prompt that is an argument, which arrives as it is", async () => {
    await using real = await open([say("ok")], { agent: { promptVia: "argument" } })
    const words = '-say  "hi"  to\nall   '
    expect((await real.collect({ prompt: words })).result.text).toBe("ok")
    expect((await real.api.arrival(1)).prompt).toBe(words)
  })
})

describe("tools", () => {
  it("run in parallel with those of a healthy MCP server; a dead one takes nothing away", async () => {
    const calls = [
      bash("env", "call_env"),
      bash("echo two >&2; exit 3", "call_exit"),
      tool("read", { filePath: "nowhere.txt" }, "call_read"),
      tool("tiny_add", { a: 2, b: 3 }, "call_add"),
      tool("tiny_env", { name: "SECRET" }, "call_secret"),
      tool("tiny_fail", { message: "no" }, "call_fail"),
      tool("missing", {}, "call_missing")
    ]
    await using real = await open([message([text("On it."), ...calls]), say("Done.")])
    const secret = ' made-up-s3"cr\\et {env:HOME}\n'
    const { events, result } = await real.collect({
      mcpServers: {
        tiny: { command: process.execPath, args: [mcpServerPath], env: { SECRET: secret } },
        dead: { command: "/no/such/server" }
      }
    })
    const outcomes = Object.fromEntries(ofType(events, "tool_result").map((event) => [event.toolId, event]))
    expect(outcomes).toMatchObject({
      call_env: { isError: false },
      call_exit: { isError: true, output: expect.stringContaining("two") },
      call_read: { isError: true },
      call_add: { isError: false, output: "5" },
      call_secret: { isError: false, output: secret },
      call_fail: { isError: true, output: "no" },
      call_missing: { isError: true }
    })
    const uses = Object.fromEntries(ofType(events, "tool_use").map((event) => [event.toolId, event]))
    expect(uses).toMatchObject({
      call_env: { kind: "command", title: "env" },
      call_add: { kind: "mcp", title: "tiny: add" },
      call_missing: { toolName: "missing" }
    })
    expect(outcomes["call_env"]?.output).toContain("OPENCODE_CONFIG_CONTENT=")
    expect(outcomes["call_env"]?.output).not.toContain("made-up-s3")
    expect((await real.api.arrival(2)).toolResults).toHaveLength(calls.length)
    expect(result).toMatchObject({ outcome: "completed", text: "On it.\n\nDone.", numTurns: 2 })
  })

  it("of a sub-agent are one call, and its words are not part of the answer", async () => {
    const task = tool("task", { description: "sub work", prompt: "look", subagent_type: "general" }, "call_task")
    await using real = await open({ main: [call(task), say("All done.")], agents: [say("Sub answer.")] })
    const { events, result } = await real.collect()
    expect(ofType(events, "tool_use")).toMatchObject([{ toolId: "call_task", kind: "subagent", title: "sub work" }])
    expect(ofType(events, "tool_result")[0]?.output).toContain("Sub answer.")
    expect(result).toMatchObject({ outcome: "completed", text: "All done." })
  })
})

describe("failures of the API", () => {
  const tooLong = { error: { message: "too many", code: "context_length_exceeded" } }
  it.each([
    [fail(401), "auth"],
    [fail(400, { body: JSON.stringify(tooLong) }), "context_overflow"]
  ])("are told: %#", async (answer, category) => {
    await using real = await open({ main: [answer], side: [answer] })
    const { result, error } = await real.collect()
    expect(error).toMatchObject({ category, retryable: false })
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed", text: "", exit: { code: 1 } })
  })
})

describe("the end from here", () => {
  it("by abort in mid-text leaves nothing behind", async () => {
    await using real = await open([stall(["some ", "words"])])
    const controller = new AbortController()
    const events = []
    for await (const event of real.execute({ abortSignal: controller.signal })) {
      events.push(event)
      if (event.type === "session") controller.abort()
    }
    const { result, error } = summarize(events)
    expect(error).toMatchObject({ category: "aborted" })
    expect(result).toMatchObject({ outcome: "aborted", aborted: true, text: "" })
    expect(result.sessionId).toBeDefined()
    expect(processesWith(home())).toEqual([])
  })

  it("by abort in mid-tool ends the tool, which has a session of its own", async () => {
    const command = `: > started; exec ${process.execPath} -e 'setTimeout(() => {}, 600000)'`
    await using real = await open([call(bash(command)), say("never")])
    const controller = new AbortController()
    const watcher = watch(real.work, (_, name) => {
      if (name === "started") controller.abort()
    })
    const { result } = await real.collect({ abortSignal: controller.signal }).finally(() => watcher.close())
    expect(result).toMatchObject({ outcome: "aborted", text: "" })
    expect(processesWith(home())).toEqual([])
  })

  it("comes when a server falls silent", async () => {
    await using real = await open([stall("some words")])
    const { result, error } = await real.collect({ timeouts: { idle: 1_500 } })
    expect(error).toMatchObject({ category: "timeout", code: "timeout_idle" })
    expect(result).toMatchObject({ outcome: "timed_out", reason: "timed_out" })
    expect(processesWith(home())).toEqual([])
  })
})
