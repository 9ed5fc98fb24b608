/** Whom a live session of Gemini CLI asks, and what they are shown: files by their diff, modes and rules, plans. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals, type PermissionRequestEvent } from "../../src/promise.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { command, openLive, take } from "./rig/live.ts"

const write = (path: string, content: string) => call(tool("write_file", { file_path: path, content }))

describe("files", () => {
  it("are written when that is allowed, and the request shows their content", async () => {
    const requested: Array<PermissionRequestEvent> = []
    const script = [write("a.txt", "one\ntwo\n"), write("b.txt", "x"), say("done")]
    await using live = await openLive("gemini", script, {
      onPermission: async (request) => {
        requested.push(request)
        return requested.length === 1 ? { decision: "allow" } : { decision: "deny" }
      }
    })
    const { events, result } = await take(live.session, "go")
    const path = join(live.sandbox.work, "a.txt")
    expect(requested[0]).toMatchObject({ toolName: "write_file", kind: "file_change", title: path, paths: [path] })
    expect(requested[0]?.input).toEqual({ file_path: path, content: "one\ntwo\n" })
    expect(requested[0]?.preview).toContain("two")
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n")
    expect(existsSync(join(live.sandbox.work, "b.txt"))).toBe(false)
    expect(ofType(events, "tool_result").map(({ isError }) => isError)).toEqual([false, true])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("modes", () => {
  const touch = call(command.gemini("touch made"))

  it("decide what is asked: nothing in bypass, and nothing about files in accept-edits", async () => {
    await using bypass = await openLive("gemini", [touch, say("done")], { permissionMode: "bypass" })
    expect(ofType((await take(bypass.session, "go")).events, "permission_request")).toEqual([])
    expect(existsSync(join(bypass.sandbox.work, "made"))).toBe(true)
    const script = [write("a.txt", "x"), touch, say("done")]
    await using edits = await openLive("gemini", script, { permissionMode: "accept-edits" })
    const { events } = await take(edits.session, "go")
    expect(ofType(events, "permission_request")).toMatchObject([{ kind: "command", command: "touch made" }])
    expect(existsSync(join(edits.sandbox.work, "a.txt"))).toBe(true)
    expect(existsSync(join(edits.sandbox.work, "made"))).toBe(false)
  })

  it("of rules about tools: allowed ones are not asked about, and forbidden ones are absent", async () => {
    const params = { allowedTools: ["run_shell_command(touch)"], disallowedTools: ["write_file"] }
    await using live = await openLive("gemini", [touch, say("done")], params)
    expect(ofType((await take(live.session, "go")).events, "permission_request")).toEqual([])
    expect(existsSync(join(live.sandbox.work, "made"))).toBe(true)
    expect((await live.api.arrival(1)).toolNames).not.toContain("write_file")
  })
})

describe("plans", () => {
  it("are shown to the approver", async () => {
    const plans: Array<string | undefined> = []
    const plan = write("p.md", "1. Look.\n2. Write.\n")
    const script = [plan, call(tool("exit_plan_mode", { plan_filename: "p.md" })), say("done")]
    await using live = await openLive("gemini", script, {
      permissionMode: "plan",
      approvals: [
        Approvals.plan(async (request) => {
          plans.push(request.plan)
          return { decision: "allow" }
        })
      ]
    })
    const { events, result } = await take(live.session, "go")
    expect(plans).toEqual(["1. Look.\n2. Write.\n"])
    expect(ofType(events, "session").map(({ permissionMode }) => permissionMode)).toContain("default")
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})
