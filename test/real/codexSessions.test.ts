/** What only Codex's live sessions have: questions, patches shown with their edits, functions of the host, its modes. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  Approvals,
  createAgent,
  type HostTool,
  type PermissionRequestEvent,
  type QuestionEvent
} from "../../src/promise.ts"
import { call, fail, say, tool } from "../../src/testing/servers/answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { shell } from "./rig/codex.ts"
import { commandFor } from "./rig/layered.ts"
import { openLive, take } from "./rig/live.ts"

const patch = (path: string, content: string) =>
  call(tool("apply_patch", `*** Begin Patch\n*** Add File: ${path}\n+${content}\n*** End Patch\n`))
const touch = call(shell("touch made"))
const allowAll = { approvals: [Approvals.allow()] }

const colours = {
  id: "colour",
  header: "Colour",
  question: "Which colour?",
  options: [
    { label: "Red", description: "like fire" },
    { label: "Green", description: "like grass" }
  ]
}
const ask = call(tool("request_user_input", { questions: [colours] }))

const twice: HostTool = {
  name: "twice",
  description: "Doubles a number.",
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  run: (input) => {
    const { n } = input as { n: number } // by its schema
    return String(n * 2)
  }
}

describe("questions", () => {
  it.each([
    ["by a label", "Green"],
    ["in other words", "Something else"]
  ])("are answered %s", async (_, answer) => {
    const asked: Array<QuestionEvent> = []
    await using live = await openLive("codex", [ask, say("done")], {
      onQuestion: async (question) => {
        asked.push(question)
        return { "Which colour?": [answer] }
      }
    })
    const { events, result } = await take(live.session, "go")
    expect(asked[0]?.questions).toMatchObject([{ question: "Which colour?", multiple: false, freeText: true }])
    expect(asked[0]?.questions[0]?.options).toEqual(colours.options)
    expect(ofType(events, "question_answer")).toMatchObject([{ by: "handler", answers: { "Which colour?": [answer] } }])
    expect((await live.api.arrival(2)).toolResults[0]?.text).toContain(answer)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("that nobody answers in time are answered with a word about defaults", async () => {
    await using live = await openLive("codex", [ask, say("done")], { questions: { deadline: 300 } })
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "question_answer")).toMatchObject([{ by: "deadline" }])
    expect((await live.api.arrival(2)).toolResults[0]?.text).toMatch(/default/i)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("are not even put where nobody wants to be asked", async () => {
    await using live = await openLive("codex", [ask, say("done")])
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "question")).toEqual([])
    expect((await live.api.arrival(2)).toolResults[0]?.text).toMatch(/unavailable/)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("steering", () => {
  it("adds a text to the turn under way", async () => {
    await using live = await openLive("codex", [touch, say("done")], {
      onPermission: async () => {
        expect(await live.session.send("And be brief.")).toBe("steered")
        return { decision: "allow" }
      }
    })
    const { result } = await take(live.session, "go")
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
    expect((await live.api.arrival(2)).prompts).toContain("And be brief.")
    expect(live.api.requests).toHaveLength(2)
  })
})

describe("functions of the host", () => {
  it("are tools of the model, also two at once, and of a resumed session", async () => {
    const both = call(tool("host.twice", { n: 21 }, "one"), tool("host.twice", { n: 4 }, "two"))
    const again = call(tool("host.twice", { n: 5 }, "three"))
    await using live = await openLive("codex", [both, say("done"), again, say("again")], { tools: [twice] })
    const { events, result } = await take(live.session, "go")
    const uses = ofType(events, "tool_use").map(({ toolId, toolName, kind }) => [toolId, toolName, kind])
    expect(uses.toSorted()).toEqual([
      ["one", "mcp__host__twice", "mcp"],
      ["two", "mcp__host__twice", "mcp"]
    ])
    const results = ofType(events, "tool_result").map(({ toolId, output, isError }) => [toolId, output, isError])
    expect(results.toSorted()).toEqual([
      ["one", "42", false],
      ["two", "8", false]
    ])
    expect((await live.api.arrival(1)).toolNames).toContain("host.twice")
    expect((await live.api.arrival(2)).toolResults.map(({ text }) => text).toSorted()).toEqual(["42", "8"])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
    await live.session.close()
    await using agent = createAgent("codex", { command: commandFor("codex"), env: live.sandbox.env })
    const { sessionId = "" } = result
    const session = await agent.open({ workingDirectory: live.sandbox.work, sessionId, tools: [twice] })
    const resumed = await take(session, "go on")
    expect(ofType(resumed.events, "tool_result")).toMatchObject([{ toolId: "three", output: "10", isError: false }])
    expect(resumed.result).toMatchObject({ outcome: "completed", text: "again", sessionId })
  })
})

describe("patches", () => {
  it("are shown with their edits, and not applied where that is denied", async () => {
    const asked: Array<PermissionRequestEvent> = []
    await using live = await openLive("codex", [patch("a.txt", "one"), patch("b.txt", "two"), say("done")], {
      onPermission: async (request) => {
        asked.push(request)
        return asked.length === 1 ? { decision: "allow" } : { decision: "deny" }
      }
    })
    const { events, result } = await take(live.session, "go")
    const [first, second] = ["a.txt", "b.txt"].map((name) => join(live.sandbox.work, name))
    expect(asked).toMatchObject([
      { kind: "file_change", title: `add ${first}`, paths: [first] },
      { kind: "file_change", title: `add ${second}`, paths: [second] }
    ])
    expect(asked[0]?.preview).toContain("one")
    expect(asked[1]?.preview).toContain("two")
    expect(readFileSync(first ?? "", "utf8")).toBe("one\n")
    expect(existsSync(second ?? "")).toBe(false)
    expect(ofType(events, "tool_result").map(({ isError }) => isError)).toEqual([false, true])
    expect(ofType(events, "permission_decision").map(({ decision, by }) => [decision, by])).toEqual([
      ["allow", "handler"],
      ["deny", "handler"]
    ])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("modes", () => {
  it("decide who is asked: in accept-edits nobody about files, but about commands", async () => {
    const script = [patch("a.txt", "one"), touch, say("done")]
    await using live = await openLive("codex", script, { permissionMode: "accept-edits" })
    const { events } = await take(live.session, "go")
    expect(ofType(events, "permission_request")).toMatchObject([{ kind: "command" }])
    expect(readFileSync(join(live.sandbox.work, "a.txt"), "utf8")).toBe("one\n")
    expect(existsSync(join(live.sandbox.work, "made"))).toBe(false)
  })

  it("decide what is done: nothing is changed in plan, whatever is allowed", async () => {
    const script = [patch("a.txt", "one"), touch, say("done")]
    await using live = await openLive("codex", script, { permissionMode: "plan", ...allowAll })
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "permission_request")).toMatchObject([{ kind: "command" }])
    expect(ofType(events, "notice").map(({ kind }) => kind)).toContain("permission_denied")
    expect(ofType(events, "tool_result").map(({ isError }) => isError)).toEqual([true, true])
    expect(["a.txt", "made"].filter((name) => existsSync(join(live.sandbox.work, name)))).toEqual([])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("changes", () => {
  it("of the model and of the mode hold from the next turn on", async () => {
    await using live = await openLive("codex", [say("one"), touch, say("two")])
    await take(live.session, "go")
    await live.session.setModel("gpt-5.4")
    await live.session.setPermissionMode("bypass")
    const { events, result } = await take(live.session, "go on")
    expect([(await live.api.arrival(1)).model, (await live.api.arrival(2)).model]).toEqual(["gpt-5.5", "gpt-5.4"])
    expect(ofType(events, "session").at(-1)).toMatchObject({
      model: "gpt-5.4",
      permissionMode: "never dangerFullAccess"
    })
    expect(ofType(events, "permission_request")).toEqual([])
    expect(existsSync(join(live.sandbox.work, "made"))).toBe(true)
    expect(result).toMatchObject({ outcome: "completed", text: "two" })
  })
})

describe("conversations", () => {
  it("are resumed with what was said, and nothing of it is told again", async () => {
    await using live = await openLive("codex", [say("First."), say("Second.")])
    const { sessionId = "" } = (await take(live.session, "one")).result
    await live.session.close()
    await using agent = createAgent("codex", { command: commandFor("codex"), env: live.sandbox.env })
    const session = await agent.open({ workingDirectory: live.sandbox.work, sessionId })
    const { result } = await take(session, "two")
    expect(result).toMatchObject({ outcome: "completed", text: "Second.", sessionId, usage: { outputTokens: 10 } })
    expect((await live.api.arrival(2)).prompts.join("|")).toMatch(/one.*two/s)
    expect(JSON.stringify((await live.api.arrival(2)).body)).toContain("First.")
  })

  it("that are not there cannot be resumed", async () => {
    const opening = openLive("codex", [say("never")], { sessionId: "01a1fa30-0000-7000-8000-000000000000" })
    await expect(opening).rejects.toMatchObject({ reason: { _tag: "AgentFailed", category: "session_not_found" } })
  })
})

describe("failures", () => {
  it("of the API end the turn, and not the session", async () => {
    await using live = await openLive("codex", [fail(400), say("after")])
    const { events, result } = await take(live.session, "one")
    expect(ofType(events, "error")).toMatchObject([{ category: "invalid_request" }])
    expect(result.outcome).toBe("failed")
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

describe("commands", () => {
  it("that hide in a session of their own do not survive the session", async () => {
    const hidden = "setsid sleep 599 & nohup sleep 598 & touch begun; sleep 597"
    const live = await openLive("codex", [call(shell(hidden))], { permissionMode: "bypass" })
    const turn = take(live.session, "go")
    try {
      await expect.poll(() => existsSync(join(live.sandbox.work, "begun")), { timeout: 20_000 }).toBe(true)
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
