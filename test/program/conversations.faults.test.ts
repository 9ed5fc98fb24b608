/** Conversations of the program: each command line is a process of its own, as a user's are. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf, resultOf } from "./printedEvents.ts"
import { runProgram, start, writeTemp } from "./programProcess.ts"

const state = join(dirname(writeTemp("here", "")), "state")
mkdirSync(state, { mode: 0o700 })
const env = { XDG_STATE_HOME: state }
const store = join(state, "reins", "store")

const demo = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runProgram(["run", "--agent", "demo", "--json", ...args], { env })
  expect(stderr).toBe("")
  return { code, ...resultOf(stdout) }
}

it("without a conversation, nothing is kept", async () => {
  await demo("hello")
  expect(existsSync(store)).toBe(false)
})

describe("a conversation", () => {
  it("goes on with its session, and begins a new one with --fresh", async () => {
    const first = await demo("--conversation", "billing", "one")
    const second = await demo("--conversation", "billing", "two")
    expect(second).toMatchObject({ code: 0, sessionId: first.sessionId })
    const fresh = await demo("--conversation", "billing", "--fresh", "three")
    expect(fresh.sessionId).not.toBe(first.sessionId)
    expect(await demo("--conversation", "billing", "four")).toMatchObject({ sessionId: fresh.sessionId })
  })

  it("answers a turn that it has answered, and refuses another prompt with its id", async () => {
    const first = await demo("--conversation", "turns", "--turn-id", "t1", "one")
    const again = await demo("--conversation", "turns", "--turn-id", "t1", "one")
    expect(again).toMatchObject({ code: 0, text: first.text, sessionId: first.sessionId })
    expect(await demo("--conversation", "turns", "--turn-id", "t1", "two")).toMatchObject({
      code: 1,
      reason: "turn_mismatch"
    })
  })

  it.each([
    ["--fresh"],
    ["--turn-id", "t"],
    ["--on-interrupted", "again"],
    ["--conversation", "a", "--resume", "id"],
    ["--conversation", "a", "--session-id", "id"],
    ["--conversation", "a", "--ephemeral"],
    ["--conversation", ""],
    ["--conversation", "a\nb"],
    ["--conversation", "x".repeat(300)]
  ])("is refused as %j", async (...flags) => {
    const { code, stdout, stderr } = await runProgram(["run", "--agent", "demo", "--json", ...flags, "hi"], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(flags.at(-2) === "--turn-id" ? "--turn-id" : "conversation")
  })
})

describe("a session that another process uses", () => {
  it.each([["by its id", ["--resume", "busy-1"]]])("%s: exit 3, with who uses it", async (_, flags) => {
    const args = ["run", "--agent", "demo", "--json", ...flags]
    const holder = start([...args, "hi"], { env: { ...env, REINS_DEMO_PACE_MS: "600000" } })
    await holder.line(/"type":"session"/)
    const { code, stdout } = await runProgram([...args, "--when-busy", "fail", "hi"], { env })
    const [first] = eventsOf(stdout)
    expect({ code, reason: resultOf(stdout).reason }).toEqual({ code: 3, reason: "session_busy" })
    expect(first?.type === "error" ? first.message : "").toContain(String(holder.child.pid))
    if (flags[1] === "busy") {
      const who = await runProgram(["sessions", "who", "busy"], { env })
      expect(who.stdout).toMatch(new RegExp(`^in use by process ${holder.child.pid} on `))
      expect(await runProgram(["sessions", "forget", "busy"], { env })).toMatchObject({ code: 3, stdout: "" })
    }
    holder.child.kill("SIGTERM")
    expect((await holder.ended).code).toBe(130)
  })
})

it("a turn of a conversation in use continues in a copy with --when-busy fork, and does not wait", async () => {
  const args = ["run", "--agent", "demo", "--json", "--conversation", "aside"]
  const { sessionId } = await demo("--conversation", "aside", "one")
  const holder = start([...args, "two"], { env: { ...env, REINS_DEMO_PACE_MS: "600000" } })
  await holder.line(/"type":"session"/)
  const { code, stdout } = await runProgram([...args, "--when-busy", "fork", "beside"], { env })
  expect(code).toBe(0)
  expect(resultOf(stdout).sessionId).not.toBe(sessionId)
  expect(eventsOf(stdout).some((event) => event.type === "notice" && event.kind === "queued")).toBe(false)
  holder.child.kill("SIGTERM")
  await holder.ended
  expect((await demo("--conversation", "aside", "three")).sessionId).toBe(sessionId)
})
