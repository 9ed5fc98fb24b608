/** Features that only Claude Code's live sessions have: questions, plans, hooks, host tools, changes in mid-session. */
import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals, type QuestionEvent } from "../../src/promise.ts"
import { type Answer, call, say, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { ofType } from "./rig/agent.ts"
import { add } from "./rig/hostTools.ts"
import { command, openLive, take } from "./rig/live.ts"

const colours = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "like fire" },
    { label: "Green", description: "like grass" }
  ],
  multiSelect: false
}

const ask = call(tool("AskUserQuestion", { questions: [colours] }))

describe("questions", () => {
  it.each([
    [["Green"], "Green"],
    [["Something else"], "Something else"]
  ])("are answered with %j", async (answer, received) => {
    const request: Array<QuestionEvent> = []
    await using live = await openLive("claude", [ask, say("done")], {
      onQuestion: async (question) => {
        request.push(question)
        return { "Which colour?": answer }
      }
    })
    const { events, result } = await take(live.session, "go")
    expect(request[0]?.questions).toMatchObject([{ question: "Which colour?", multiple: false, freeText: true }])
    expect(ofType(events, "question_answer")).toMatchObject([{ by: "handler", answers: { "Which colour?": answer } }])
    expect(ofType(events, "tool_result")[0]?.output).toContain(received)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("unwanted ones are answered at once with a word about defaults", async () => {
    await using live = await openLive("claude", [ask, say("done")])
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "question_answer")).toMatchObject([{ by: "rule" }])
    expect(ofType(events, "tool_result")[0]?.output).toMatch(/default/i)
    expect(result.outcome).toBe("completed")
  })
})

describe("plans", () => {
  const exit = call(tool("ExitPlanMode", { plan: "1. Look.\n2. Write." }))

  it("wait for an outline, then for approval", async () => {
    const outline = "The outline: ".padEnd(300, "word ")
    const decisions = ["outline", "allow"] as const
    let count = 0
    await using live = await openLive("claude", [exit, exit, say(outline), exit, say("done")], {
      permissionMode: "plan",
      approvals: [Approvals.plan(async () => ({ decision: decisions[count++] ?? "deny" }))]
    })
    const first = await take(live.session, "go")
    expect(ofType(first.events, "permission_decision").map(({ decision, by }) => [decision, by])).toEqual([
      ["deny", "handler"],
      ["deny", "rule"]
    ])
    const second = await take(live.session, "go on")
    expect(ofType(second.events, "permission_decision")).toMatchObject([{ decision: "allow", by: "handler" }])
    expect(second.result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("a plan that is approved with its edits", () => {
  const write = (file_path: string) => call(tool("Write", { file_path, content: "x" }))
  const planFile = (request: ModelRequest) =>
    /\/[^\s"\\]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(request.body))?.[0] ?? ""

  it("is followed by edits that are not asked, and by questions about all else, until the turn ends", async () => {
    const answers: Array<(request: ModelRequest) => Answer> = []
    const requests: Array<string> = []
    await using live = await openLive("claude", (request) => answers.shift()?.(request) ?? say("nothing more"), {
      permissionMode: "plan",
      onPermission: async ({ kind, toolName, paths = [], command: text = "" }) => {
        if (kind === "plan") return { decision: "allow", remember: "edits" }
        requests.push(`${toolName} ${text || (paths[0] ?? "")}`)
        return { decision: "deny" }
      }
    })
    const { work, home } = live.sandbox
    symlinkSync(home, join(work, "link"))
    answers.push(
      (request) => call(tool("Write", { file_path: planFile(request), content: "1. Write." })),
      () => call(tool("ExitPlanMode", {})),
      () => write(join(work, "a.txt")),
      () => call(tool("Edit", { file_path: join(work, "a.txt"), old_string: "x", new_string: "y" })),
      () => write(join(work, "link/b.txt")),
      () => write(join(work, ".git/hooks/pre-commit")),
      () => write(join(work, ".env")),
      () => write(join(home, "c.txt")),
      () => call(command.claude("echo x > d.txt")),
      () => say("done"),
      () => write(join(work, "e.txt")),
      () => say("done")
    )
    const { events } = await take(live.session, "go")
    const decisions = ofType(events, "permission_decision")
    expect(decisions.filter(({ decision }) => decision === "allow")).toMatchObject([
      { by: "handler", remembered: "edits" },
      { by: "memory" },
      { by: "memory" }
    ])
    expect(requests).toEqual([
      `Write ${join(work, "link/b.txt")}`,
      `Write ${join(work, ".git/hooks/pre-commit")}`,
      `Write ${join(work, ".env")}`,
      `Write ${join(home, "c.txt")}`,
      "Bash echo x > d.txt"
    ])
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("y")
    await take(live.session, "and now?")
    expect(requests.at(-1)).toBe(`Write ${join(work, "e.txt")}`)
    for (const file of [join(home, "b.txt"), join(home, "c.txt"), join(work, "d.txt"), join(work, "e.txt")])
      expect(existsSync(file)).toBe(false)
  })
})

describe("functions of the host", () => {
  it("are tools of the model", async () => {
    await using live = await openLive("claude", [call(tool("mcp__host__add", { a: 2, b: 40 })), say("done")], {
      tools: [add]
    })
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "tool_use")).toMatchObject([{ toolName: "mcp__host__add", kind: "mcp" }])
    expect(ofType(events, "tool_result")).toMatchObject([{ output: expect.stringContaining("42"), isError: false }])
    expect(result.outcome).toBe("completed")
  })

  it("are hooks that decide before anybody is asked", async () => {
    const inputs: Array<unknown> = []
    await using live = await openLive("claude", [call(command.claude("touch never")), say("done")], {
      hooks: [
        {
          event: "PreToolUse",
          matcher: "Bash",
          run: (input) => {
            inputs.push(input)
            const reason = { permissionDecision: "deny", permissionDecisionReason: "not today" }
            return { hookSpecificOutput: { hookEventName: "PreToolUse", ...reason } }
          }
        }
      ]
    })
    const { events } = await take(live.session, "go")
    expect(inputs).toMatchObject([{ hook_event_name: "PreToolUse", tool_name: "Bash" }])
    expect(ofType(events, "tool_result")[0]?.output).toContain("not today")
    expect(ofType(events, "permission_request")).toEqual([])
  })
})

describe("rules that deny", () => {
  it("hold for what Claude Code does unasked, and stand in the way of nothing else", async () => {
    const read = (file: string) => call(tool("Read", { file_path: join(live.sandbox.work, file) }))
    const answers = [() => read(".env"), () => call(command.claude("cat .env")), () => read("plain"), () => say("done")]
    await using live = await openLive("claude", () => answers.shift()?.() ?? say("nothing more"), {
      approvals: [Approvals.deny({ paths: ["**/.env"] }, "That is secret."), Approvals.deny({ commands: ["*.env*"] })]
    })
    for (const file of [".env", "plain"]) await writeFile(join(live.sandbox.work, file), `inside ${file}`)
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "permission_decision")).toMatchObject([
      { decision: "deny", by: "rule", message: "That is secret." },
      { decision: "deny", by: "rule" }
    ])
    const outputs = ofType(events, "tool_result").map(({ output, isError }) => [isError, output.includes("inside")])
    expect(outputs).toEqual([
      [true, false],
      [true, false],
      [false, true]
    ])
    expect(result.outcome).toBe("completed")
  })
})

describe("changes", () => {
  it("of the model hold from the next turn on", async () => {
    await using live = await openLive("claude", [say("one"), say("two")])
    await take(live.session, "go")
    await live.session.setModel("haiku")
    await take(live.session, "go on")
    const models = await Promise.all([1, 2].map(async (count) => (await live.api.arrival(count)).body.model))
    expect(models[1]).not.toBe(models[0])
    expect(models[1]).toContain("haiku")
  })

  it("of the permission mode hold, and one that the CLI refuses is told", async () => {
    const write = () => call(tool("Write", { file_path: `${live.sandbox.work}/one`, content: "x" }))
    const answers = [write, () => say("done")]
    await using live = await openLive("claude", () => answers.shift()?.() ?? say("nothing more"))
    await live.session.setPermissionMode("accept-edits")
    const { events } = await take(live.session, "go")
    expect(ofType(events, "permission_request")).toEqual([])
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: false }])
    await expect(live.session.setPermissionMode("bypass")).rejects.toMatchObject({
      reason: { _tag: "AgentFailed", code: "change_refused" }
    })
  })
})

describe("steering", () => {
  it("adds a text to the turn under way", async () => {
    await using live = await openLive("claude", [call(command.claude("touch f")), say("done")], {
      onPermission: async () => {
        expect(await live.session.send("And be brief.")).toBe("steered")
        return { decision: "allow" }
      }
    })
    const { result } = await take(live.session, "go")
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
    expect(JSON.stringify((await live.api.arrival(2)).body)).toContain("And be brief.")
  })
})
