/** The real Codex, ended from here: by abort, by the watchdog, by leaving; nothing of it is left. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { ResponsesScript } from "../../src/testing/ModelServer.ts"
import { call, drip, message, say, silence, text } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType, summarize } from "./rig/agent.ts"
import { type OpenOptions, openCodex, shell } from "./rig/codex.ts"

const bypass = { permissionMode: "bypass" } as const

describe("endings", () => {
  /** Aborts at the first event that fits and collects to the end. */
  const abortAt = async (
    script: ResponsesScript,
    fits: (event: AgentEvent) => boolean,
    params: Partial<AgentExecuteParams> = {},
    options: OpenOptions = {}
  ) => {
    await using real = await openCodex(script, options)
    const controller = new AbortController()
    const events: Array<AgentEvent> = []
    for await (const event of real.execute({ abortSignal: controller.signal, ...params })) {
      events.push(event)
      if (fits(event)) controller.abort()
    }
    return { ...summarize(events), left: processesWith(real.sandbox.home) }
  }

  it("aborts in mid-text, of which only whole messages were told", async () => {
    const script = [message([text("One."), text("Tw")], { ending: "stall" })]
    const { result, error, left } = await abortAt(script, (event) => event.type === "text")
    expect(error).toMatchObject({ category: "aborted" })
    expect(result).toMatchObject({ outcome: "aborted", aborted: true, text: "One." })
    expect(result.sessionId).toBeDefined()
    expect(left).toEqual([])
  })

  it.each([
    ["without a sandbox", bypass, "sleep 600 & sleep 601; echo never"],
    ["in a sandbox", {}, "sleep 600"]
  ])("aborts in mid-tool %s, and the tool's processes go with it", async (_, params, command) => {
    const isRunning = (event: AgentEvent) => event.type === "tool_use"
    const { result, left } = await abortAt([call(shell(command)), say("never")], isRunning, params)
    expect(result).toMatchObject({ outcome: "aborted", text: "" })
    expect(left).toEqual([])
  })

  it.each([
    ["never answers", silence()],
    ["never ends, and tells nothing of it", drip()]
  ])("times out on a server that %s", async (_, answer) => {
    await using real = await openCodex([answer], { agent: { timeouts: { idle: 1_500 } } })
    const { events, result, error } = await real.collect()
    expect(error).toMatchObject({ category: "timeout", code: "timeout_idle" })
    expect(result).toMatchObject({ outcome: "timed_out", text: "" })
    expect(ofType(events, "notice").map((event) => event.kind)).toEqual(["stalled"])
    expect(processesWith(real.sandbox.home)).toEqual([])
  })

  it("does not time out while a tool is at work", async () => {
    const script = [call(shell("sleep 2.5")), say("Done.")]
    await using real = await openCodex(script, { agent: { timeouts: { idle: 2_000 } } })
    expect((await real.collect()).result).toMatchObject({ outcome: "completed", text: "Done." })
  })

  it("a session goes on after an abort", async () => {
    await using real = await openCodex([call(shell("sleep 600")), say("Again.")])
    const controller = new AbortController()
    const events: Array<AgentEvent> = []
    for await (const event of real.execute({ abortSignal: controller.signal, prompt: "first", ...bypass })) {
      events.push(event)
      if (event.type === "tool_use") controller.abort()
    }
    const aborted = summarize(events).result
    const { result } = await real.collect({ prompt: "second", sessionId: aborted.sessionId })
    // Its own, and not what the aborted run had used before.
    const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 30 }
    expect(result).toMatchObject({ outcome: "completed", text: "Again.", usage })
    expect((await real.api.arrival(2)).prompts).toEqual(expect.arrayContaining(["first", "second"]))
  })

  it("is gone when the consumer leaves the loop", async () => {
    await using real = await openCodex([message([text("One."), text("Tw")], { ending: "stall" })])
    for await (const event of real.execute()) if (event.type === "text") break
    expect(processesWith(real.sandbox.home)).toEqual([])
  })
})
