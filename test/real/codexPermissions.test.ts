/** Whom a live session of Codex asks, and what they are shown: patches with their edits, and what its modes decide. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals, type PermissionRequestEvent } from "../../src/promise.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { shell } from "./rig/codex.ts"
import { openLive, take } from "./rig/live.ts"

const patch = (path: string, content: string) =>
  call(tool("apply_patch", `*** Begin Patch\n*** Add File: ${path}\n+${content}\n*** End Patch\n`))
const touch = call(shell("touch made"))
const allowAll = { approvals: [Approvals.allow()] }

describe("patches", () => {
  it("are shown with their edits, and not applied where that is denied", async () => {
    const requested: Array<PermissionRequestEvent> = []
    await using live = await openLive("codex", [patch("a.txt", "one"), patch("b.txt", "two"), say("done")], {
      onPermission: async (request) => {
        requested.push(request)
        return requested.length === 1 ? { decision: "allow" } : { decision: "deny" }
      }
    })
    const { events, result } = await take(live.session, "go")
    const [first, second] = ["a.txt", "b.txt"].map((name) => join(live.sandbox.work, name))
    expect(requested).toMatchObject([
      { kind: "file_change", title: `add ${first}`, paths: [first] },
      { kind: "file_change", title: `add ${second}`, paths: [second] }
    ])
    expect(requested[0]?.preview).toContain("one")
    expect(requested[1]?.preview).toContain("two")
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
  it("decide what is asked: in accept-edits nothing about files, but about commands", async () => {
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
