/** How live sessions of Codex go on: texts and functions of the host in a turn, changes, failures, and resuming. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { call, fail, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { shell } from "./rig/codex.ts"
import { expectNoneSurvives, hidingCommand } from "./rig/hiding.ts"
import { twice } from "./rig/hostTools.ts"
import { commandFor } from "./rig/layered.ts"
import { openLive, take } from "./rig/live.ts"

const touch = call(shell("touch made"))

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
    await using live = await openLive("codex", [call(shell(hidingCommand))], { permissionMode: "bypass" })
    await expectNoneSurvives(live.session, live.sandbox)
  })
})
