/** How live sessions of Gemini CLI go on: after commands, interrupts, changes and failures, and when they are resumed. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals, createAgent } from "../../src/promise.ts"
import { call, fail, say, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { expectNoneSurvives, hidingCommand } from "./rig/hiding.ts"
import { commandFor } from "./rig/layered.ts"
import { command, openLive, take } from "./rig/live.ts"

const write = (path: string, content: string) => call(tool("write_file", { file_path: path, content }))
const allowAll = { approvals: [Approvals.allow()] }

describe("commands", () => {
  it("tell what they print", async () => {
    await using live = await openLive("gemini", [call(command.gemini("echo one; exit 3")), say("done")], allowAll)
    const { events } = await take(live.session, "go")
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "one", isError: false }])
  })

  it("end when the turn is interrupted", async () => {
    const script = [call(command.gemini("touch begun; sleep 600123")), say("after")]
    await using live = await openLive("gemini", script, allowAll)
    const first = await take(live.session, "one", async (event) => {
      if (event.type !== "permission_decision") return
      await expect.poll(() => existsSync(join(live.sandbox.work, "begun")), { timeout: 20_000 }).toBe(true)
      void live.session.interrupt()
    })
    expect(first.result.outcome).toBe("aborted")
    expect(processesWith("600123")).toEqual([])
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })

  it("that hide in a session of their own do not survive the session", async () => {
    await using live = await openLive("gemini", [call(command.gemini(hidingCommand))], allowAll)
    await expectNoneSurvives(live.session, live.sandbox)
  })
})

describe("changes", () => {
  it("of the permission mode hold at once, and are not text of the answer", async () => {
    await using live = await openLive("gemini", [write("a.txt", "x"), say("done")])
    await live.session.setPermissionMode("accept-edits")
    const { events, result } = await take(live.session, "go")
    expect(ofType(events, "permission_request")).toEqual([])
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: false }])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("of the model hold from the next turn on", async () => {
    await using live = await openLive("gemini", [say("one"), say("two")])
    await take(live.session, "go")
    await live.session.setModel("gemini-2.5-pro")
    await take(live.session, "go on")
    // Which one it is by itself differs from version to version.
    expect((await live.api.arrival(1)).model).not.toContain("gemini-2.5-pro")
    expect((await live.api.arrival(2)).model).toContain("gemini-2.5-pro")
  })

  it("that an untrusted workspace does not allow are told", async () => {
    await using live = await openLive("gemini", [say("one")], { trustWorkspace: false })
    await expect(live.session.setPermissionMode("bypass")).rejects.toMatchObject({
      reason: { _tag: "AgentFailed", code: "change_refused" }
    })
    expect((await take(live.session, "go")).result.outcome).toBe("completed")
  })
})

describe("failures", () => {
  it("of the API end the turn, and not the session", async () => {
    await using live = await openLive("gemini", [fail(400), say("after")])
    const { events, result } = await take(live.session, "one")
    expect(ofType(events, "error")).toMatchObject([{ code: "INVALID_ARGUMENT", category: "invalid_request" }])
    expect(result.outcome).toBe("failed")
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

describe("conversations", () => {
  it("are resumed again and again, also within the minute in which they were begun", async () => {
    await using live = await openLive("gemini", [say("First."), say("Second."), say("Third."), say("Fourth.")])
    const { sessionId } = (await take(live.session, "one")).result
    await live.session.close()
    await using agent = createAgent("gemini", { command: commandFor("gemini"), env: live.sandbox.env })
    for (const [index, prompt] of ["two", "three"].entries()) {
      const session = await agent.open({ workingDirectory: live.sandbox.work, ...(sessionId && { sessionId }) })
      const { events, result } = await take(session, prompt)
      expect(result).toMatchObject({ outcome: "completed", text: ["Second.", "Third."][index], sessionId })
      expect(events.filter(({ type }) => type === "tool_use")).toEqual([])
      await session.close()
    }
    const run = agent.run({ prompt: "four", workingDirectory: live.sandbox.work, ...(sessionId && { sessionId }) })
    expect(await run).toMatchObject({ outcome: "completed", text: "Fourth.", sessionId })
    expect((await live.api.arrival(4)).prompts.join("|")).toMatch(/one.*two.*three.*four/s)
  })

  it("that are not there cannot be resumed", async () => {
    const opening = openLive("gemini", [say("never")], { sessionId: "00000000-0000-4000-8000-000000000000" })
    await expect(opening).rejects.toMatchObject({ reason: { _tag: "AgentFailed", category: "session_not_found" } })
  })
})
