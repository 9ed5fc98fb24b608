/** The real, unmodified Gemini CLI: what it says comes out as the contract promises. */
import { existsSync, readdirSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { call, cut, fail, message, say, text, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { openGemini } from "./rig/gemini.ts"

const shell = (command: string) => tool("run_shell_command", { command, description: "run a command" })
const readOnly = ["list_directory", "read_file", "grep_search", "glob"]

describe("answers", () => {
  it("gives a text as it comes, and what the CLI tells of the session", async () => {
    await using real = await openGemini([say(["Hel", "lo ", "wörld 🎉"])])
    const { events, result } = await real.collect({ prompt: "héllo\r\n- 🙂\n" })
    expect(ofType(events, "text").map((event) => event.text)).toEqual(["Hel", "lo ", "wörld 🎉"])
    const [session] = ofType(events, "session")
    expect(session).toMatchObject({ model: "gemini-2.5-flash" })
    expect(result).toMatchObject({ outcome: "completed", text: "Hello wörld 🎉", sessionId: session?.sessionId })
    expect(result.usage).toEqual({ inputTokens: 100, outputTokens: 10, cacheReadTokens: 20 })
    expect((await real.api.arrival(1)).prompt).toBe("héllo\r\n- 🙂\n")
    expect((await real.api.arrival(1)).toolNames).toEqual(expect.arrayContaining(readOnly))
    expect((await real.api.arrival(1)).toolNames).not.toContain("run_shell_command")
  })

  it("fails, and keeps what was said, when the connection is cut", async () => {
    await using real = await openGemini([cut(["some ", "words"])])
    const { result, error } = await real.collect()
    expect(error).toMatchObject({ code: "api_error", message: "terminated" })
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed", text: "some words" })
  })

  it("does not count as success when the conversation is too long for the model", async () => {
    await using real = await openGemini([say("never")])
    const { result, error } = await real.collect({ prompt: "long prompt ".repeat(350_000) })
    expect(result).toMatchObject({ outcome: "failed", text: "" })
    expect(["not_asked", "no_result"]).toContain(error?.code)
    expect(real.api.requests).toEqual([])
  })
})

describe("tools", () => {
  it("runs some in one turn, and tells which one failed", async () => {
    const calls = [shell("echo one > f; cat f; exit 3"), tool("read_file", { file_path: "missing.txt" })]
    await using real = await openGemini([message([text("Two."), ...calls]), say("Done.")])
    const { events, result } = await real.collect({ allowedTools: ["run_shell_command"] })
    expect(ofType(events, "tool_use")).toMatchObject([
      { toolName: "run_shell_command", kind: "command", title: "echo one > f; cat f; exit 3" },
      { toolName: "read_file", kind: "read", title: "missing.txt" }
    ])
    // The CLI takes a command that exits with 3 for a success.
    expect(ofType(events, "tool_result")).toMatchObject([
      { output: "one", isError: false },
      { output: "File not found.", isError: true }
    ])
    expect(result).toMatchObject({ outcome: "completed", text: "Two.\n\nDone.", permissionDenials: [] })
    expect((await real.api.arrival(2)).toolResults.map(({ name }) => name)).toEqual(["run_shell_command", "read_file"])
  })

  it("may do what is allowed and not what is denied, in a mode that would allow everything", async () => {
    const calls = [
      shell("echo hi"),
      shell("cd . && rm -rf x"),
      tool("write_file", { file_path: "a.txt", content: "x" })
    ]
    await using real = await openGemini([call(...calls), say("Done.")])
    const { events, result } = await real.collect({
      permissionMode: "bypass",
      disallowedTools: ["write_file", "run_shell_command(rm -rf)"]
    })
    expect(ofType(events, "tool_result").map((event) => event.isError)).toEqual([false, true, true])
    expect(result.permissionDenials?.map((denial) => denial.toolName)).toEqual(["run_shell_command", "write_file"])
    expect(ofType(events, "notice").map((event) => event.kind)).toEqual(["permission_denied", "permission_denied"])
    expect(existsSync(join(real.sandbox.work, "a.txt"))).toBe(false)
  })

  it("may run only the commands that are named, and the user's own rules hold", async () => {
    const rule = '[[rule]]\ntoolName = "glob"\ndecision = "deny"\npriority = 100\n'
    const files = { "home/.gemini/policies/mine.toml": rule }
    await using real = await openGemini([call(shell("echo hi"), shell("touch a.txt")), say("Done.")], { files })
    const { events } = await real.collect({ allowedTools: ["run_shell_command(echo)"] })
    expect(ofType(events, "tool_result").map((event) => event.isError)).toEqual([false, true])
    expect((await real.api.arrival(1)).toolNames).toContain("run_shell_command")
    expect((await real.api.arrival(1)).toolNames).not.toContain("glob")
  })
})

describe("failures", () => {
  it.each([
    [400, "API_KEY_INVALID", "API_KEY_INVALID"],
    [403, "PERMISSION_DENIED", undefined],
    // The CLI tells neither the status nor the API's word: they are known by the exit code.
    [429, "http_429", undefined],
    [503, "http_503", undefined]
  ])("of the API are told: %i", async (status, code, reason) => {
    await using real = await openGemini([fail(status, { ...(reason === undefined ? {} : { code: reason }) })])
    const { result, error } = await real.collect()
    expect(error).toMatchObject({ code, message: `scripted ${status}`, retryable: status > 403 })
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed", text: "" })
    expect(result.sessionId).toBeDefined()
  })

  it("leave no conversation in the temporary directory", async () => {
    await using real = await openGemini([fail(400)])
    await real.collect()
    expect(readdirSync(real.sandbox.tmp)).toEqual([])
    expect(processesWith(real.sandbox.home)).toEqual([])
  })

  it("of a subscription are not paid by a key from a file", async () => {
    const files = { "work/.env": "GEMINI_API_KEY=from-a-file\n" }
    await using real = await openGemini([say("never")], { files, agent: { billing: "subscription" } })
    const { result } = await real.collect({ env: { GOOGLE_GEMINI_BASE_URL: undefined } })
    expect(result).toMatchObject({ outcome: "failed", reason: "exited", exit: { code: 41 } })
    expect(real.api.requests).toEqual([])
  })
})

describe("sessions", () => {
  it("resumes one under its id, counts only the run, and knows it nowhere else", async () => {
    await using real = await openGemini([say("One.")])
    const first = await real.collect({ prompt: "first", newSessionId: "-my_Own-1" })
    expect(first.result.sessionId).toBe("-my_Own-1")
    const second = await real.collect({ prompt: "second", sessionId: "-my_Own-1" })
    expect(second.result).toMatchObject({ sessionId: "-my_Own-1", text: "One.", usage: first.result.usage })
    expect((await real.api.arrival(2)).prompts).toEqual(expect.arrayContaining(["first", "second"]))
    const elsewhere = join(real.sandbox.home, "elsewhere")
    await mkdir(elsewhere)
    const { result } = await real.collect({ sessionId: "-my_Own-1", workingDirectory: elsewhere })
    expect(result).toMatchObject({ outcome: "failed", reason: "exited", exit: { code: 42 }, sessionId: undefined })
    expect(result.stderrTail).toContain("Error resuming session")
  })
})

describe("prompts and options", () => {
  it.each([
    ["200 KB", "long prompt ".repeat(17_000)],
    ["a leading dash", "--help me please"]
  ])("hands over %s as it is", async (_, words) => {
    await using real = await openGemini([say("ok")])
    expect((await real.collect({ prompt: words })).result.outcome).toBe("completed")
    expect((await real.api.arrival(1)).prompt).toBe(words)
  })

  it("hands over an argument as it is, and takes a leading slash for text", async () => {
    await using real = await openGemini([say("ok")], { agent: { promptVia: "argument" } })
    expect((await real.collect({ prompt: "-v is\na flag" })).result.text).toBe("ok")
    expect((await real.api.arrival(1)).prompt).toBe("-v is\na flag")
    const { events } = await real.collect({ prompt: "/memory show" })
    expect((await real.api.arrival(2)).prompt.trim()).toBe("/memory show")
    expect(ofType(events, "notice")).toEqual([])
  })

  it("passes every option on", async () => {
    await using real = await openGemini([call(tool("read_file", { file_path: "../home/more/note.txt" })), say("ok")], {
      files: { "home/more/note.txt": "noted" }
    })
    const { events } = await real.collect({
      systemPrompt: "- You are brief.",
      model: "gemini-2.5-pro",
      permissionMode: "plan",
      additionalDirectories: [join(real.sandbox.home, "more")],
      extraArgs: ["--extensions", "none"]
    })
    const request = await real.api.arrival(1)
    expect(request.systemPrompt).toContain("- You are brief.")
    expect(request.model).toBe("gemini-2.5-pro")
    expect(request.toolNames).toContain("exit_plan_mode")
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: false }])
    expect((await real.api.arrival(2)).toolResults[0]?.text).toContain("noted")
  })
})
