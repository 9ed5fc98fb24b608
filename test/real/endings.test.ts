/** The real Claude Code, ended from here: by abort, by the watchdog, by leaving; nothing of it is left. */
import { expect, it } from "vitest"
import type { AgentEvent, ParamsOf } from "../../src/promise.ts"
import type { MessagesScript } from "../../src/testing/ModelServer.ts"
import { call, say, silence, stall, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { openAgent, summarize } from "./rig/agent.ts"

/** A tool that says when it runs: it writes its own marker into a process table anyone can read. */
const sleeper = "node -e 'setTimeout(() => {}, 600000)' reins-sleeper"

/** Aborts at the first event that fits and collects to the end. */
const abortAt = async (
  script: MessagesScript,
  fits: (event: AgentEvent) => boolean,
  params: Partial<ParamsOf<"claude">> = {}
) => {
  await using real = await openAgent(script)
  const controller = new AbortController()
  const events: Array<AgentEvent> = []
  for await (const event of real.execute({ abortSignal: controller.signal, ...params })) {
    events.push(event)
    if (fits(event)) controller.abort()
  }
  return { ...summarize(events), left: processesWith(real.sandbox.home) }
}

it("aborts in mid-text", async () => {
  const { result, error, left } = await abortAt([stall(["some ", "words"])], (event) => event.type === "text")
  expect(error).toMatchObject({ category: "aborted" })
  expect(result).toMatchObject({ outcome: "aborted", reason: "aborted", aborted: true })
  expect(result.text).toMatch(/^some /)
  expect(result.sessionId).toBeDefined()
  expect(left).toEqual([])
})

it("aborts in mid-tool, and the tool's process goes with it", async () => {
  const script = [call(tool("Bash", { command: sleeper, description: "wait" })), say("never")]
  const isRunning = (event: AgentEvent) => event.type === "tool_use"
  const { result, left } = await abortAt(script, isRunning, { allowedTools: ["Bash"] })
  expect(result).toMatchObject({ outcome: "aborted", text: "" })
  expect(left).toEqual([])
})

it("starts nothing when it was aborted before", async () => {
  await using real = await openAgent([say("never")])
  const { events, result } = summarize(await Array.fromAsync(real.execute({ abortSignal: AbortSignal.abort() })))
  expect(events.map((event) => event.type)).toEqual(["error", "done"])
  expect(result.outcome).toBe("aborted")
  expect(real.api.requests).toEqual([])
})

it("times out on a server that never answers", async () => {
  await using real = await openAgent([silence()], { agent: { timeoutMs: 1_500 } })
  const { events, result, error } = await real.collect()
  expect(error).toMatchObject({ category: "timeout", code: "timeout_idle" })
  expect(result).toMatchObject({ outcome: "timed_out", reason: "timed_out" })
  expect(events.filter((event) => event.type === "notice").map((event) => event.kind)).toEqual(["stalled"])
  expect(processesWith(real.sandbox.home)).toEqual([])
})

it("does not time out while a tool is at work", async () => {
  const command = "node -e 'setTimeout(() => console.log(1), 2500)'"
  const script = [call(tool("Bash", { command, description: "wait" })), say("Done.")]
  await using real = await openAgent(script, { agent: { timeoutMs: 2_000 } })
  const { result } = await real.collect({ allowedTools: ["Bash"] })
  expect(result).toMatchObject({ outcome: "completed", text: "Done." })
})

it("is gone when the consumer leaves the loop", async () => {
  await using real = await openAgent([stall(["some ", "words"])])
  for await (const event of real.execute()) if (event.type === "text") break
  expect(processesWith(real.sandbox.home)).toEqual([])
})
