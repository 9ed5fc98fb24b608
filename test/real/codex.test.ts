/** The real Codex, unmodified, against a scripted Responses API: answers, failures and sessions. */
import { existsSync, realpathSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { nativeCommands } from "../../src/cli/codex/index.ts"
import { cut, fail, message, say, text, think, thought } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { codexCommand, openCodex, shell } from "./rig/codex.ts"

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 30 }

describe("answers", () => {
  it("says a text and tells what there is to tell", async () => {
    await using real = await openCodex([say(["Hel", "lo wörld 🎉"])])
    const { events, result } = await real.collect({ prompt: "héllo\r\n- 🙂\n" })
    expect(ofType(events, "session")).toEqual([{ type: "session", sessionId: result.sessionId }])
    expect(result).toMatchObject({
      outcome: "completed",
      reason: "completed",
      text: "Hello wörld 🎉",
      exit: { code: 0 }
    })
    expect(result.usage).toEqual(usage)
    expect((await real.api.arrival(1)).prompt).toBe("héllo\r\n- 🙂\n")
    expect(real.api.others).toEqual([])
  })

  it("parts several messages, and keeps thinking apart from them", async () => {
    await using real = await openCodex([message([thought("Let me see."), text("One."), text("Two.")])])
    const { events, result } = await real.collect()
    expect(ofType(events, "thinking").map((event) => event.text)).toEqual(["Let me see."])
    expect(result.text).toBe("One.\n\nTwo.")
  })

  it("does not repeat what was said when the connection broke behind it", async () => {
    const broken = message([thought("Hm."), text("One."), text("Two.")], { ending: "cut", endsBehind: true })
    await using real = await openCodex([broken, broken, think("Hm.", "One."), say("never")], { retries: 2 })
    const { events, result } = await real.collect()
    expect(ofType(events, "notice").map((event) => event.kind)).toEqual(["retry", "retry"])
    expect(result).toMatchObject({ outcome: "completed", text: "One.\n\nTwo." })
  })

  it("has nothing of a message that the connection broke inside", async () => {
    await using real = await openCodex([cut("lost"), say("kept")], { retries: 1 })
    expect((await real.collect()).result).toMatchObject({ outcome: "completed", text: "kept" })
  })

  it("meets an output schema", async () => {
    await using real = await openCodex([say('{"answer":42}')])
    const properties = { answer: { type: "number" } }
    const outputSchema = { type: "object", properties, required: ["answer"], additionalProperties: false }
    const { result } = await real.collect({ outputSchema })
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 } })
    expect((await real.api.arrival(1)).body.text?.format).toMatchObject({ type: "json_schema", schema: outputSchema })
  })
})

describe("failures of the API", () => {
  it.each([
    [fail(400, { message: "Not good.", code: "bad_param" }), "bad_param", "invalid_request"],
    [fail(401), "http_401", "auth"],
    [
      fail(404, { message: "The model `x` does not exist.", code: "model_not_found" }),
      "model_not_found",
      "invalid_request"
    ],
    [fail(429), "http_429", "rate_limit"],
    [
      fail(429, { message: "spent", code: "insufficient_quota", type: "insufficient_quota" }),
      "insufficient_quota",
      "billing"
    ],
    [fail(400, { message: "long", code: "context_length_exceeded" }), "context_length_exceeded", "context_overflow"],
    [fail(500), "server_error", "overloaded"],
    [fail(503, { message: "x", code: "server_is_overloaded" }), "overloaded", "overloaded"]
  ])("tells %#: %j", async (answer, code, category) => {
    await using real = await openCodex([answer])
    const { events, result, error } = await real.collect()
    expect(error).toMatchObject({ code, category })
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed", text: "", usage: undefined })
    expect(result.sessionId).toBeDefined()
    expect(ofType(events, "notice")).toEqual([])
  })

  it("tells retries on the way to it", async () => {
    await using real = await openCodex([fail(401)], { retries: 2 })
    const { events, error } = await real.collect()
    expect(ofType(events, "notice").map((event) => [event.kind, event.data])).toEqual([
      ["retry", { attempt: 1, maxRetries: 2 }],
      ["retry", { attempt: 2, maxRetries: 2 }]
    ])
    expect(error).toMatchObject({ category: "auth" })
  })

  it("keeps the text of a turn that fails later", async () => {
    await using real = await openCodex([message([text("Let me see."), shell("true")]), fail(400)])
    const { result } = await real.collect()
    expect(result).toMatchObject({ outcome: "failed", text: "Let me see." })
  })

  it("does not try a refused connection for ever", async () => {
    await using real = await openCodex([say("never")])
    await real.api[Symbol.asyncDispose]()
    const { result, error } = await real.collect()
    expect(error).toMatchObject({ code: "connection_failed", category: "network", retryable: true })
    expect(result.outcome).toBe("failed")
  })
})

describe("sessions", () => {
  it("resumes one under its id, forks it under another, and counts only the run's own usage", async () => {
    await using real = await openCodex([say("One.")])
    const first = (await real.collect({ prompt: "first" })).result
    const resume = { sessionId: first.sessionId }
    const second = (await real.collect({ prompt: "second", ...resume, additionalDirectories: ["/tmp"] })).result
    const forked = (await real.collect({ prompt: "third", ...resume, forkSession: true, permissionMode: "plan" }))
      .result
    expect(second.sessionId).toBe(first.sessionId)
    expect(forked.sessionId).not.toBe(first.sessionId)
    expect([first.usage, second.usage, forked.usage]).toEqual([usage, usage, usage])
    expect((await real.api.arrival(3)).prompts).toEqual(expect.arrayContaining(["first", "second", "third"]))
  })

  it("says that a session is gone, and makes up no id for it", async () => {
    await using real = await openCodex([say("never")])
    const { result } = await real.collect({ sessionId: "00000000-0000-4000-8000-000000000000" })
    expect(result).toMatchObject({ outcome: "failed", reason: "exited", sessionId: undefined })
    expect(result.stderrTail).toContain("no rollout found for thread id")
    expect(real.api.requests).toEqual([])
  })

  it("refuses a name that would silently begin a new session", async () => {
    await using real = await openCodex([say("never")])
    const { result, error } = await real.collect({ sessionId: "my-session" })
    expect(error?.message).toContain("sessionId")
    expect(result.reason).toBe("invalid_params")
    expect(real.api.requests).toEqual([])
  })
})

it("the program behind npm's script is where it is looked for", () => {
  const candidates = nativeCommands(realpathSync(codexCommand), process.platform, process.arch)
  expect(candidates.filter((path) => existsSync(path))).toHaveLength(1)
})
