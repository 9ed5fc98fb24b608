/** File operations and plans of the five real CLIs, in their events. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { CliId } from "../../src/cli/clis.ts"
import { type AgentEvent, Approvals } from "../../src/promise.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType, openAgent } from "./rig/agent.ts"
import { openCodex } from "./rig/codex.ts"
import { openGemini } from "./rig/gemini.ts"
import { openLive, take } from "./rig/live.ts"
import { openHome } from "./rig/opencode.ts"
import { openPi } from "./rig/pi.ts"

const { open: openOpenCode } = openHome()
const content = "one\n"

/** Writes a new file, by a relative path. */
const write: { readonly [Id in CliId]: ReturnType<typeof tool> } = {
  claude: tool("Write", { file_path: "a.txt", content }),
  gemini: tool("write_file", { file_path: "a.txt", content }),
  codex: tool("apply_patch", "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n"),
  opencode: tool("write", { filePath: "a.txt", content }),
  pi: tool("write", { path: "a.txt", content })
}

const runs = [
  ["claude", openAgent],
  ["gemini", openGemini],
  ["codex", openCodex],
  ["opencode", openOpenCode],
  ["pi", openPi]
] as const

/** Pi never asks, and has no mode that would say so for edits alone. */
const freely = (id: CliId) => ({ permissionMode: id === "pi" ? "bypass" : "accept-edits" }) as const

const editsIn = (events: ReadonlyArray<AgentEvent>) =>
  [...ofType(events, "tool_use"), ...ofType(events, "tool_result")].flatMap(({ edits = [] }) => edits)

/** The one file that the calls name; it is there. */
const writtenIn = (events: ReadonlyArray<AgentEvent>): string => {
  const [path = "", ...others] = ofType(events, "tool_use").flatMap(({ paths = [] }) => paths)
  expect(others).toEqual([])
  expect(path).toMatch(/^\/.*\/a\.txt$/)
  expect(readFileSync(path, "utf8")).toBe(content)
  return path
}

describe.each(runs)("a run of %s", (id, open) => {
  it("names the file that it writes, and what it writes, where the CLI says it", async () => {
    await using real = await open([call(write[id]), say("Done.")])
    const { events } = await real.collect(freely(id))
    const path = writtenIn(events)
    expect(editsIn(events)).toEqual(id === "codex" ? [] : [{ path, after: content }])
  })
})

describe.each(runs)("a live session of %s", (id) => {
  it.runIf(id !== "pi")("names the same file and content in the call and in the request", async () => {
    await using live = await openLive(id, [call(write[id]), say("Done.")], { approvals: [Approvals.allow()] })
    const { events } = await take(live.session, "go")
    const path = writtenIn(events)
    expect(editsIn(events)).toEqual([{ path, after: content }])
    expect(ofType(events, "permission_request")).toMatchObject([{ paths: [path], edits: [{ path, after: content }] }])
  })

  it("reports the written files if nothing is asked", async () => {
    await using live = await openLive(id, [call(write[id]), say("Done.")], freely(id))
    const { events } = await take(live.session, "go")
    expect(editsIn(events)).toEqual([{ path: writtenIn(events), after: content }])
  })
})

const steps = [
  { text: "read it", status: "completed" },
  { text: "change it", status: "in_progress" }
] as const

const todos = (name: string) => ({
  todos: steps.map(({ text, status }) => ({ [name]: text, status, priority: "high" }))
})

describe("a to-do list", () => {
  it("of Gemini CLI", async () => {
    const input = { todos: steps.map(({ text, status }) => ({ description: text, status })) }
    await using real = await openGemini([call(tool("write_todos", input)), say("Done.")])
    expect(ofType((await real.collect()).events, "plan")).toMatchObject([{ entries: steps }])
  })

  it("of OpenCode, in a run and in a live session", async () => {
    const script = [call(tool("todowrite", todos("content"))), say("Done.")]
    await using real = await openOpenCode(script)
    expect(ofType((await real.collect()).events, "plan")).toMatchObject([{ entries: steps }])
    await using live = await openLive("opencode", script)
    expect(ofType((await take(live.session, "go")).events, "plan")).toMatchObject([{ entries: steps }])
  })

  it("of Codex, in a run and in a live session", async () => {
    const plan = steps.map(({ text, status }) => ({ step: text, status }))
    const script = [call(tool("update_plan", { plan })), say("Done.")]
    const extraArgs = ["-c", "tools.update_plan.enabled=true"]
    await using real = await openCodex(script)
    const [first, second] = steps
    expect(ofType((await real.collect({ extraArgs })).events, "plan")).toMatchObject([
      { entries: [first, { ...second, status: "pending" }] }
    ])
    await using live = await openLive("codex", script, { extraArgs })
    expect(ofType((await take(live.session, "go")).events, "plan")).toMatchObject([{ entries: steps }])
  })
})
