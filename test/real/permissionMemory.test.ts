/** Real CLIs ask again where the second request is another than the first that was remembered, and only there. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { CliId } from "../../src/cli/clis.ts"
import { Approvals, type PermissionRequestEvent } from "../../src/promise.ts"
import { type Answer, call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { openLive, take } from "./rig/live.ts"

const exec = (cmd: string, more = {}) => call(tool("exec_command", { cmd, ...more }))
const write = (content: string) => call(tool("write_file", { file_path: "a.txt", content }))
const fetch = (url: string) => call(tool("web_fetch", { prompt: `read ${url}` }))
const bash = (command: string) => call(tool("Bash", { command, description: "as asked" }))
const plan = (text: string): ReadonlyArray<Answer> => [
  call(tool("write_file", { file_path: "p.md", content: text })),
  call(tool("exit_plan_mode", { plan_filename: "p.md" }))
]

/** The requests that were asked, where each answer is remembered for exactly this request. */
const askedFor = async (
  cli: CliId,
  script: ReadonlyArray<Answer>,
  params = {},
  decision: "allow" | "deny" = "deny"
) => {
  const requested: Array<PermissionRequestEvent> = []
  await using live = await openLive(cli, [...script, say("done")], {
    ...params,
    onPermission: async (request) => {
      requested.push(request)
      return { decision, remember: true }
    }
  })
  const { events } = await take(live.session, "go")
  const decided = ofType(events, "permission_decision").map(({ by }) => by)
  return { asked: requested, decided, work: live.sandbox.work, isMade: existsSync(join(live.sandbox.work, "made")) }
}

describe("codex", () => {
  it("asks again for the same command in another directory, and outside of the sandbox, with a reason or without", async () => {
    const escalated = { sandbox_permissions: "require_escalated" }
    const {
      asked: requested,
      decided,
      work
    } = await askedFor("codex", [
      exec("touch made"),
      exec("touch made"),
      exec("touch made", { workdir: "/tmp" }),
      exec("touch made", { ...escalated, justification: "because" }),
      exec("touch made", escalated)
    ])
    expect(decided).toEqual(["handler", "memory", "handler", "handler", "handler"])
    expect(requested.map(({ directory, escalated: isEscalated }) => [directory, isEscalated])).toEqual([
      [work, false],
      ["/tmp", false],
      [work, true],
      [work, true]
    ])
    expect(requested[2]?.preview).toMatch(/^! ESCALATED/)
  })

  it("lets a rule that does not say so allow nothing that leaves the sandbox", async () => {
    const { decided, isMade } = await askedFor(
      "codex",
      [exec("touch made", { sandbox_permissions: "require_escalated" })],
      {
        approvals: [Approvals.allow({ commands: ["touch *"] })]
      }
    )
    expect([decided, isMade]).toEqual([["handler"], false])
  })
})

describe("gemini", () => {
  it("asks again for another content, another address and another plan", async () => {
    const files = await askedFor("gemini", [write("one"), write("one"), write("two")])
    expect(files.decided).toEqual(["handler", "memory", "handler"])
    const pages = await askedFor("gemini", [fetch("http://127.0.0.1:9/a"), fetch("http://127.0.0.1:9/b")])
    expect(pages.decided).toEqual(["handler", "handler"])
    expect(pages.asked.map(({ preview }) => preview)).toEqual([
      expect.stringContaining("http://127.0.0.1:9/a"),
      expect.stringContaining("http://127.0.0.1:9/b")
    ])
    const plans = await askedFor("gemini", [...plan("1. Look."), ...plan("1. Delete.")], { permissionMode: "plan" })
    expect(plans.asked.filter(({ kind }) => kind === "plan").map(({ plan: text }) => text)).toEqual([
      "1. Look.",
      "1. Delete."
    ])
  })

  it("tells where a command would run", async () => {
    const { asked: requested, work } = await askedFor("gemini", [
      call(tool("run_shell_command", { command: "touch made" }))
    ])
    expect(requested).toMatchObject([{ command: "touch made", directory: work }])
  })
})

describe("claude", () => {
  it("asks again for another command and another file, and not for the same", async () => {
    const file = (content: string) => call(tool("Write", { file_path: "b.txt", content }))
    const { decided } = await askedFor("claude", [
      bash("touch made"),
      bash("touch made"),
      bash("touch made2"),
      file("1"),
      file("2")
    ])
    expect(decided).toEqual(["handler", "memory", "handler", "handler", "handler"])
  })

  it("cannot be remembered where the request of a plan does not contain the plan", async () => {
    const { asked: requested } = await askedFor("claude", [call(tool("ExitPlanMode", {}))], { permissionMode: "plan" })
    expect(requested).toMatchObject([
      { kind: "plan", scopes: [], preview: expect.stringContaining("does not say what it would do") }
    ])
    expect(requested[0]).not.toHaveProperty("plan")
  })
})
