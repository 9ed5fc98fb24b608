/** Live sessions of the five real CLIs: the same conversation over four protocols. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { Approvals, type PermissionRequestEvent } from "../../src/promise.ts"
import { call, drip, say } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { command, openLive, take } from "./rig/live.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys

describe.each(ids)("%s", (cli) => {
  /** Pi never asks. */
  const asks = cli !== "pi"
  const touch = (file: string) => call(command[cli](`touch ${file}`))

  it("takes one turn after the other in one conversation", async () => {
    await using live = await openLive(cli, [say(["Hel", "lo"]), say("again")])
    const first = await take(live.session, "one")
    expect(first.result).toMatchObject({ outcome: "completed", reason: "completed", text: "Hello", aborted: false })
    expect(first.result.usage).toMatchObject({ outputTokens: 10 })
    const second = await take(live.session, "two")
    expect(second.result).toMatchObject({ outcome: "completed", text: "again", sessionId: first.result.sessionId })
    expect(live.session.sessionId).toBe(first.result.sessionId)
    expect(JSON.stringify((await live.api.arrival(2)).body)).toContain("one")
  })

  it.runIf(asks)("asks before it acts: what is allowed is done, and what is denied is not", async () => {
    const requested: Array<PermissionRequestEvent> = []
    await using live = await openLive(cli, [touch("first"), say("done"), touch("second"), say("not done")], {
      onPermission: async (request) => {
        requested.push(request)
        return requested.length === 1 ? { decision: "allow" } : { decision: "deny", message: "Leave that." }
      }
    })
    const allowed = await take(live.session, "one")
    expect(requested[0]).toMatchObject({ kind: "command", command: expect.stringContaining("touch first") })
    expect(requested[0]?.preview).toContain("$ ")
    expect(existsSync(join(live.sandbox.work, "first"))).toBe(true)
    const order = allowed.events.map((event) => event.type).filter((type) => /tool|permission/.test(type))
    expect(order).toEqual(["tool_use", "permission_request", "permission_decision", "tool_result"])
    expect(allowed.result).toMatchObject({ outcome: "completed", text: "done" })
    const denied = await take(live.session, "two")
    expect(requested).toHaveLength(2)
    expect(existsSync(join(live.sandbox.work, "second"))).toBe(false)
    expect(ofType(denied.events, "permission_decision")).toMatchObject([{ decision: "deny", by: "handler" }])
    expect(ofType(denied.events, "tool_result")).toMatchObject([{ isError: true }])
    expect(denied.result.outcome).toBe("completed")
  })

  it("is interrupted in the middle of a text, and takes the next turn", async () => {
    await using live = await openLive(cli, [drip(), say("after")])
    let interrupted: Promise<boolean> | undefined
    const first = await take(live.session, "one", (event) => {
      if (event.type === "text") interrupted ??= live.session.interrupt()
    })
    expect(await interrupted).toBe(true)
    expect(first.result).toMatchObject({ outcome: "aborted", aborted: true })
    expect(await live.session.interrupt()).toBe(false)
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })

  it.runIf(asks)("is interrupted while it asks, and takes the next turn", async () => {
    await using live = await openLive(cli, [touch("never"), say("after")], { approvals: [Approvals.ask()] })
    const first = await take(live.session, "one", (event) => {
      if (event.type === "permission_request") return live.session.interrupt()
    })
    expect(ofType(first.events, "permission_decision")).toMatchObject([{ decision: "withdrawn", by: "agent" }])
    expect(first.result.outcome).toBe("aborted")
    expect(existsSync(join(live.sandbox.work, "never"))).toBe(false)
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})
