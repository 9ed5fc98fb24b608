/** The permissions of the real OpenCode as the caller sets them, and the session that it resumes. */
import { describe, expect, it } from "vitest"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { openHome } from "./rig/opencode.ts"

const { open } = openHome()

describe("permissions", () => {
  const outside = tool("read", { filePath: "/etc/hostname" }, "call_a")

  it("without a handler end the run, and that is a failure", async () => {
    await using real = await open([call(outside), say("never")])
    const { events, result, error } = await real.collect()
    expect(error).toMatchObject({ category: "permission", code: "permission_rejected", retryable: false })
    expect(ofType(events, "notice").map(({ kind }) => kind)).toEqual(["permission_denied"])
    expect(result).toMatchObject({ outcome: "failed", exit: { code: 0 }, permissionDenials: [{ toolId: "call_a" }] })
  })

  const project = JSON.stringify({
    instructions: ["rules.md"],
    permission: { bash: "allow", "*": "allow" },
    agent: { build: { permission: { bash: "allow" } }, plan: { permission: { bash: "allow", edit: "allow" } } }
  })
  const files = {
    "opencode.json": project,
    "rules.md": "RULES OF THE PROJECT",
    ".claude/skills/odd/SKILL.md": "---\nname: odd\ndescription: SKILL OF THE PROJECT\n---\nx\n"
  }

  it("are what the caller says; a directory that is not trusted says nothing", async () => {
    await using real = await open([call(outside), say("Done.")], { files })
    const params = { additionalDirectories: ["/etc"], disallowedTools: ["bash"], trustWorkspace: false }
    const { events, result } = await real.collect(params)
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: false }])
    expect(result.outcome).toBe("completed")
    const request = await real.api.arrival(1)
    expect(request.toolNames).toContain("edit")
    expect(request.toolNames).not.toContain("bash")
    expect(request.systemPrompt).not.toContain("OF THE PROJECT")
  })

  it("to change anything are not there in plan, whatever the project says, also for sub-agents", async () => {
    const task = tool("task", { description: "d", prompt: "look", subagent_type: "general" })
    await using real = await open({ main: [call(task), say("Done.")], agents: [say("ok")] }, { files })
    expect((await real.collect({ permissionMode: "plan" })).result.outcome).toBe("completed")
    for (const request of [await real.api.arrival(1), await real.api.arrival(1, "agent")]) {
      expect(request.toolNames).toContain("read")
      for (const name of ["bash", "edit", "write"]) expect(request.toolNames).not.toContain(name)
    }
    expect((await real.api.arrival(1)).systemPrompt).toContain("RULES OF THE PROJECT")
    expect((await real.api.arrival(1)).systemPrompt).toContain("SKILL OF THE PROJECT")
  })
})

describe("sessions", () => {
  it("are resumed and forked with their history, and a slash is text unless told otherwise", async () => {
    await using real = await open([say("ok")], { config: { command: { hey: { template: "DO $ARGUMENTS END" } } } })
    const { result: first } = await real.collect({ prompt: "first" })
    const sessionId = first.sessionId ?? ""
    const { result: second } = await real.collect({ prompt: "/hey there", sessionId })
    const { result: forked } = await real.collect({
      prompt: "/hey  you",
      sessionId,
      forkSession: true,
      slashCommands: true
    })
    expect(second).toMatchObject({ outcome: "completed", sessionId, numTurns: 1, usage: first.usage })
    expect(forked.outcome).toBe("completed")
    expect(forked.sessionId).not.toBe(sessionId)
    expect((await real.api.arrival(3)).prompts.map((words) => words.trim())).toEqual([
      "first",
      "/hey there",
      "DO you END"
    ])
    expect(real.api.requests).toHaveLength(3)
  }, 120_000)

  it("that are not there are a failure, and no id is made up for them", async () => {
    await using real = await open([say("never")])
    const { result, error } = await real.collect({ sessionId: "ses_000000000000doesnotexist00" })
    expect(error).toMatchObject({ category: "session_not_found", retryable: false })
    expect(result).toMatchObject({ outcome: "failed", reason: "exited", sessionId: undefined })
  })
})
