/** The real, unmodified Pi: what it says comes out as the contract promises, and nothing of it is left. */
import { existsSync, readdirSync, watch } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { call, cut, fail, message, say, stall, text, think, tool } from "../../src/testing/servers/Answer.ts"
import * as samples from "../kit/attachments.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType, summarize } from "./rig/agent.ts"
import { only } from "./rig/environment.ts"
import { openPi, piCommand } from "./rig/pi.ts"

const bash = (command: string, id?: string) => tool("bash", { command }, id)

const sessionFiles = (home: string): ReadonlyArray<string> => {
  const folder = join(home, ".pi/agent/sessions")
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isSession) : []
}
const isSession = (name: string) => name.endsWith(".jsonl")

describe("answers", () => {
  it("come with their thinking; a long prompt that looks like a flag and all options arrive", async () => {
    await using real = await openPi([think("Let me see.", "Hello wörld 🎉")])
    const words = `--help "me" @file\u2028${"long prompt ".repeat(17_000)}`.trim()
    const { events, result } = await real.collect({
      prompt: words,
      model: "anthropic/claude-opus-4-5",
      effort: "high",
      systemPrompt: '- You are "brief".\n',
      appendSystemPrompt: "@And kind."
    })
    const types = events.map(({ type }) => type)
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "session",
      "thinking",
      "text",
      "usage",
      "done"
    ])
    expect(result).toMatchObject({ outcome: "completed", text: "Hello wörld 🎉", numTurns: 1, stopReason: "end_turn" })
    expect(result.usage).toEqual({ inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 30 })
    expect(result.totalCostUsd).toBeGreaterThan(0)
    const request = await real.api.arrival(1)
    expect(request.prompt).toBe(words)
    expect(request.model).toBe("claude-opus-4-5")
    expect(request.body["thinking"]).toMatchObject({ type: "enabled" })
    expect(request.systemPrompt).toContain('- You are "brief".\n')
    expect(request.systemPrompt).toContain("@And kind.")
    expect(request.systemPrompt).not.toContain("coding assistant")
    expect([real.api.requests.length, real.api.others]).toEqual([1, []])
  })

  it("are asked for again when they broke off, and what was lost is withdrawn", async () => {
    await using real = await openPi([cut("lost words"), say("kept")], { retries: 2 })
    const { events, result } = await real.collect()
    expect(result).toMatchObject({ outcome: "completed", text: "kept" })
    const notices = ofType(events, "notice").map(({ kind }) => kind)
    expect(notices.filter((kind) => kind === "retry")).toHaveLength(1)
    expect(notices.filter((kind) => kind === "text_voided")).toHaveLength(1)
  })

  it("without thinking come where it is switched off", async () => {
    await using real = await openPi([say("ok")])
    expect((await real.collect({ effort: "off" })).result.text).toBe("ok")
    expect((await real.api.arrival(1)).body["thinking"]).not.toMatchObject({ type: "enabled" })
  })
})

describe("tools", () => {
  it("run in parallel, and their failures are told with the exit code", async () => {
    const calls = [
      bash("env", "call_env"),
      bash("echo two >&2; exit 3", "call_exit"),
      tool("read", { path: "nowhere.txt" }, "call_read"),
      tool("write", { path: "made.txt", content: "a\n" }, "call_write"),
      tool("missing", {}, "call_missing")
    ]
    await using real = await openPi([message([text("On it."), ...calls]), say("Done.")])
    const { events, result } = await real.collect({ permissionMode: "bypass" })
    const outcomes = Object.fromEntries(ofType(events, "tool_result").map((event) => [event.toolId, event]))
    expect(outcomes).toMatchObject({
      call_env: { isError: false, exitCode: 0, output: expect.stringContaining("PI_OFFLINE=1") },
      call_exit: { isError: true, exitCode: 3, output: expect.stringContaining("two") },
      call_read: { isError: true },
      call_write: { isError: false },
      call_missing: { isError: true }
    })
    const uses = Object.fromEntries(ofType(events, "tool_use").map((event) => [event.toolId, event]))
    expect(uses).toMatchObject({
      call_env: { kind: "command", title: "env" },
      call_read: { kind: "read", title: "nowhere.txt" },
      call_write: { kind: "file_change", title: "made.txt" },
      call_missing: { toolName: "missing" }
    })
    expect(existsSync(join(real.work, "made.txt"))).toBe(true)
    expect((await real.api.arrival(2)).toolResults).toHaveLength(calls.length)
    expect(result).toMatchObject({ outcome: "completed", text: "On it.\n\nDone.", numTurns: 2 })
    expect(result.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 })
  })

  it("that could change something are not there in plan, whatever an extension adds", async () => {
    const extension = `export default (pi) => pi.registerTool({
      name: "destroy", label: "Destroy", description: "x", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [] })
    })`
    const home = { ".pi/agent/extensions/destroy.ts": extension }
    await using real = await openPi(
      [say("seen"), call(bash("touch made"), tool("write", { path: "m", content: "" })), say("planned")],
      { home }
    )
    expect((await real.collect()).result.text).toBe("seen")
    expect((await real.api.arrival(1)).toolNames).toContain("destroy")
    const { events, result } = await real.collect({ permissionMode: "plan" })
    expect((await real.api.arrival(2)).toolNames.toSorted()).toEqual(["find", "grep", "ls", "read"])
    expect(ofType(events, "tool_result").map(({ isError }) => isError)).toEqual([true, true])
    expect(result).toMatchObject({ outcome: "completed", text: "planned" })
    expect(readdirSync(real.work)).toEqual([])
  })

  // The first prompt waits for a server whose tools are told to the model.
  const server = (file: string) => ({ command: "sh", args: ["-c", `touch ${file}`], exposure: "direct" })
  const extension = (file: string) => `import { writeFileSync } from "node:fs"
    export default () => writeFileSync(${JSON.stringify(file)}, "")`
  const home = {
    ".pi/agent/mcp.json": JSON.stringify({ mcpServers: { own: server("own-server") } }),
    ".pi/agent/extensions/own.ts": extension("own-extension")
  }
  const files = {
    ".pi/mcp.json": JSON.stringify({ mcpServers: { its: server("its-server") } }),
    ".pi/extensions/its.ts": extension("its-extension"),
    ".pi/settings.json": JSON.stringify({ packages: ["npm:x"], npmCommand: ["sh", "-c", "touch its-installer"] })
  }
  const own = ["own-extension", "own-server"]

  it.each([
    ["in plan", { permissionMode: "plan", trustWorkspace: true }, []],
    ["in a directory of strangers", {}, own],
    ["in a directory that is not trusted", { trustWorkspace: false }, own],
    [
      "in a directory that is trusted",
      { trustWorkspace: true },
      ["its-extension", "its-installer", "its-server", ...own]
    ]
  ] as const)("come with the programs that may be started %s", async (_, params, started) => {
    await using real = await openPi([say("ok")], { env: { PI_OFFLINE: "" }, home, files })
    expect((await real.collect(params)).result).toMatchObject({ outcome: "completed", text: "ok" })
    expect(readdirSync(real.work).toSorted()).toEqual([".pi", ...started])
  })
})

describe("attachments", () => {
  it("of a run reach the model: an image as one, a text as its words", async () => {
    await using real = await openPi([say("seen")])
    const red = samples.png(16, 16, [200, 0, 0])
    const { result } = await real.collect({
      prompt: "what is this",
      attachments: [
        { data: red, mediaType: "image/png", name: "red.png" },
        { data: new TextEncoder().encode("/help is @secret.txt"), mediaType: "text/plain", name: "@secret.txt" }
      ]
    })
    expect(result).toMatchObject({ outcome: "completed", text: "seen" })
    const body = JSON.stringify((await real.api.arrival(1)).body)
    expect(body).toContain(Buffer.from(red).toString("base64"))
    expect(body).toContain("/help is @secret.txt")
    expect(body).toContain("what is this")
  })
})

describe("failures of the API", () => {
  const tooLong = {
    error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }
  }
  it.each([
    [fail(401), "auth", false],
    [fail(400), "invalid_request", false],
    [fail(400, { body: JSON.stringify(tooLong) }), "context_overflow", false]
  ])("are told: %#", async (answer, category, retryable) => {
    await using real = await openPi(() => answer)
    const { result, error } = await real.collect()
    expect(error).toMatchObject({ category, retryable })
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed", text: "", exit: { code: 0 } })
  })

  it("that may pass are followed by another attempt, and are told when it fails, too", async () => {
    await using real = await openPi(() => fail(429), { retries: 1 })
    const { events, result, error } = await real.collect()
    expect(ofType(events, "notice")).toMatchObject([{ kind: "retry", data: { attempt: 1, maxAttempts: 1 } }])
    expect(error).toMatchObject({ category: "rate_limit", code: "rate_limit_error", retryable: true })
    expect(result).toMatchObject({ outcome: "failed", text: "" })
    expect(real.api.requests.length).toBeGreaterThan(1)
  })

  it("that passed leave no trace in the answer", async () => {
    await using real = await openPi([fail(529), say("ok")], { retries: 2 })
    const { events, result } = await real.collect()
    expect(ofType(events, "notice").map(({ kind }) => kind)).toEqual(["retry"])
    expect(result).toMatchObject({ outcome: "completed", text: "ok" })
  })

  it("without a key are told as such", async () => {
    await using real = await openPi([say("never")], { env: { ANTHROPIC_API_KEY: "" } })
    const { result, error } = await real.collect()
    expect(error).toMatchObject({ category: "auth", retryable: false })
    expect(result).toMatchObject({ outcome: "failed", exit: { code: 1 } })
    expect(real.api.requests).toEqual([])
  })
})

describe("sessions", () => {
  it("are resumed and forked with their history, and a slash is text unless told otherwise", async () => {
    const home = { ".pi/agent/prompts/hey.md": "DO $ARGUMENTS END" }
    await using real = await openPi(() => say("ok"), { home })
    const { result: first } = await real.collect({ prompt: "first" })
    const sessionId = first.sessionId ?? ""
    const { result: second } = await real.collect({ prompt: "/hey there", sessionId })
    expect(second).toMatchObject({ outcome: "completed", sessionId, numTurns: 1, usage: first.usage })
    const { result: forked } = await real.collect({
      prompt: "/hey you",
      sessionId,
      forkSession: true,
      slashCommands: true
    })
    expect(forked.outcome).toBe("completed")
    expect(forked.sessionId).not.toBe(sessionId)
    expect((await real.api.arrival(3)).prompts.map((words) => words.trim())).toEqual([
      "first",
      "\u200B/hey there",
      "DO you END"
    ])
    expect(real.api.requests).toHaveLength(3)
    expect(sessionFiles(real.home)).toHaveLength(2)
  })

  it("that are ephemeral leave no file", async () => {
    await using real = await openPi([say("ok")])
    const { result } = await real.collect({ ephemeral: true })
    expect(result).toMatchObject({ outcome: "completed", text: "ok" })
    expect(sessionFiles(real.home)).toEqual([])
  })

  it("that are not there are a failure, and no id is made up for them", async () => {
    await using real = await openPi([say("never")])
    const { result, error } = await real.collect({ sessionId: "00000000-0000-7000-8000-000000000000" })
    expect(error).toMatchObject({ category: "session_not_found", retryable: false })
    expect(result).toMatchObject({ outcome: "failed", reason: "exited", sessionId: undefined, exit: { code: 1 } })
    expect(real.api.requests).toEqual([])
  })
})

describe("models", () => {
  it("are those that Pi has a key for, with their efforts; no model is asked", async () => {
    await using real = await openPi([])
    await using agent = createAgent("pi", { command: piCommand, env: only(real.values) })
    const answer = await agent.models({ workingDirectory: real.work })
    const models = answer.type === "listed" ? answer.models : []
    expect(models.find(({ id }) => id === "anthropic/claude-opus-4-5")?.efforts).toContain("high")
    expect(models.every(({ id }) => id.startsWith("anthropic/"))).toBe(true)
    expect([real.api.requests, sessionFiles(real.home)]).toEqual([[], []])
  })
})

describe("the end from here", () => {
  it("by abort in mid-text leaves nothing behind", async () => {
    await using real = await openPi([stall(["some ", "words"])])
    const controller = new AbortController()
    const events = []
    for await (const event of real.execute({ abortSignal: controller.signal })) {
      events.push(event)
      if (event.type === "text") controller.abort()
    }
    const { result, error } = summarize(events)
    expect(error).toMatchObject({ category: "aborted" })
    expect(result).toMatchObject({ outcome: "aborted", aborted: true, text: expect.stringContaining("some ") })
    expect(result.sessionId).toBeDefined()
    expect(processesWith(real.home)).toEqual([])
  })

  it("by abort in mid-tool ends the tool, which has a session of its own", async () => {
    const command = `: > started; exec ${process.execPath} -e 'setTimeout(() => {}, 600000)'`
    await using real = await openPi([call(bash(command)), say("never")])
    const controller = new AbortController()
    const watcher = watch(real.work, (_, name) => {
      if (name === "started") controller.abort()
    })
    const { result } = await real.collect({ abortSignal: controller.signal }).finally(() => watcher.close())
    expect(result).toMatchObject({ outcome: "aborted", text: "" })
    expect(processesWith(real.home)).toEqual([])
  })

  it("comes when a server falls silent", async () => {
    await using real = await openPi([stall("some words")])
    const { result, error } = await real.collect({ timeouts: { idle: 4_000 } })
    expect(error).toMatchObject({ category: "timeout", code: "timeout_idle" })
    expect(result).toMatchObject({ outcome: "timed_out", reason: "timed_out" })
    expect(processesWith(real.home)).toEqual([])
  })
})
