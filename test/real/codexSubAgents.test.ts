/** Sub-agents in live sessions of the real Codex: they ask like the session, and what they do is told under their call. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { Approvals, type PermissionRequestEvent } from "../../src/promise.ts"
import { type Answer, call, say, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { shell } from "./rig/codex.ts"
import { openLive, take } from "./rig/live.ts"

/** It begins a sub-agent and waits for it; `steps` are what that does, then it answers. */
const delegate =
  (...steps: ReadonlyArray<Answer>) =>
  (request: ModelRequest): Answer => {
    if (request.prompts.includes("look around")) return steps[request.toolResults.length] ?? say("Sub answer.")
    if (request.prompt === "two") return say("after")
    const [spawned, ...others] = request.toolResults
    if (spawned === undefined) return call(tool("multi_agent_v1.spawn_agent", { message: "look around" }, "spawn"))
    if (others.length > 0) return say("All done.")
    const { agent_id } = JSON.parse(spawned.text)
    return call(tool("multi_agent_v1.wait_agent", { targets: [agent_id], timeout_ms: 20_000 }, "wait"))
  }

const patch = call(tool("apply_patch", "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n", "patch"))
const under = { parentToolId: "spawn" }

it("ask for their actions, and their text is not part of the answer", async () => {
  const requested: Array<PermissionRequestEvent> = []
  await using live = await openLive("codex", delegate(call(shell("touch made", "touch")), patch), {
    onPermission: async (request) => {
      requested.push(request)
      return { decision: "allow" }
    }
  })
  const { events, result } = await take(live.session, "one")
  expect(requested).toMatchObject([
    { toolId: "touch", kind: "command", ...under },
    { toolId: "patch", kind: "file_change", paths: [join(live.sandbox.work, "a.txt")], ...under }
  ])
  expect(existsSync(join(live.sandbox.work, "made"))).toBe(true)
  expect(readFileSync(join(live.sandbox.work, "a.txt"), "utf8")).toBe("one\n")
  const reported = events.filter((event) => "parentToolId" in event).map(({ type }) => type)
  const asking = ["tool_use", "permission_request", "permission_decision", "tool_result"]
  expect(reported).toEqual([...asking, ...asking, "text"])
  expect(ofType(events, "text").map(({ text, parentToolId }) => [text, parentToolId])).toEqual([
    ["Sub answer.", "spawn"],
    ["All done.", undefined]
  ])
  expect(result).toMatchObject({ outcome: "completed", text: "All done." })
})

it("of newer models are told like those of others", async () => {
  const made = 'const made = await tools.exec_command({ cmd: "sleep 0.3; echo nested" }); text(made.output)'
  const script = ({ nth, body, toolResults }: ModelRequest): Answer => {
    const message = { message: "look around", task_name: "looker", fork_turns: "none" }
    if (nth === 1) return call(tool("collaboration.spawn_agent", message, "spawn"))
    const isSubAgent = !JSON.stringify(body).includes('"call_id":"spawn"')
    if (isSubAgent) return toolResults.length === 0 ? call(tool("exec", made)) : say("Sub answer.")
    if (toolResults.length > 1) return say("All done.")
    return call(tool("collaboration.wait_agent", { timeout_ms: 10_000 }, "wait"))
  }
  await using live = await openLive("codex", script, { model: "gpt-6.1-sol", approvals: [Approvals.allow()] })
  const { events, result } = await take(live.session, "one")
  expect(ofType(events, "tool_use")).toMatchObject([
    // `/root/looker` is Codex's own name of a sub-agent, not a path of a machine.
    { toolId: "spawn", kind: "subagent", title: "/root/looker" },
    expect.anything(),
    { kind: "command", ...under }
  ])
  expect(ofType(events, "permission_request")).toMatchObject([{ command: "sleep 0.3; echo nested", ...under }])
  expect(ofType(events, "text")).toMatchObject([{ text: "Sub answer.", ...under }, { text: "All done." }])
  expect(result).toMatchObject({ outcome: "completed", text: "All done." })
})

it("do not do what is denied, and hear why", async () => {
  await using live = await openLive("codex", delegate(call(shell("touch made", "touch"))), {
    onPermission: async () => ({ decision: "deny", message: "Leave that." })
  })
  const { events, result } = await take(live.session, "one")
  expect(existsSync(join(live.sandbox.work, "made"))).toBe(false)
  expect(ofType(events, "tool_result").find(({ toolId }) => toolId === "touch")).toMatchObject({
    isError: true,
    ...under
  })
  const received = live.api.requests.filter(({ prompts }) => prompts.some((prompt) => prompt.includes("Leave that.")))
  expect(received.map(({ prompts }) => prompts.includes("look around"))).toEqual([true])
  expect(result).toMatchObject({ outcome: "completed", text: "All done." })
})

it("are bound by the mode of the session", async () => {
  await using live = await openLive("codex", delegate(patch), {
    permissionMode: "plan",
    approvals: [Approvals.allow()]
  })
  const { events, result } = await take(live.session, "one")
  expect(ofType(events, "permission_request")).toEqual([])
  expect(ofType(events, "notice")).toContainEqual(expect.objectContaining({ kind: "permission_denied", ...under }))
  expect(existsSync(join(live.sandbox.work, "a.txt"))).toBe(false)
  expect(result.permissionDenials).toMatchObject([{ toolId: "patch" }])
})

it("are interrupted with the turn, while they ask and while their commands run", async () => {
  const script = delegate(call(shell("touch begun; sleep 600321", "sleep")))
  await using live = await openLive("codex", script, { approvals: [Approvals.ask()] })
  const first = await take(live.session, "one", (event) => {
    if (event.type === "permission_request") return live.session.interrupt()
  })
  expect(ofType(first.events, "permission_decision")).toMatchObject([{ decision: "withdrawn", ...under }])
  expect(first.result.outcome).toBe("aborted")
  expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  expect(existsSync(join(live.sandbox.work, "begun"))).toBe(false)

  await using other = await openLive("codex", script, { approvals: [Approvals.allow()] })
  const second = await take(other.session, "one", async (event) => {
    if (event.type !== "permission_decision") return
    await expect.poll(() => existsSync(join(other.sandbox.work, "begun")), { timeout: 20_000 }).toBe(true)
    void other.session.interrupt()
  })
  expect(second.result.outcome).toBe("aborted")
  await expect.poll(() => processesWith("600321"), { timeout: 20_000 }).toEqual([])
  expect((await take(other.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
})
