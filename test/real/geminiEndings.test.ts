/** The real Gemini CLI, ended from here: by abort, by the watchdog, by leaving; nothing of it is left. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { GeminiScript } from "../../src/testing/ModelServer.ts"
import { call, say, silence, stall, tool } from "../../src/testing/servers/Answer.ts"
import { processesWith } from "../kit/processes.ts"
import { summarize } from "./rig/agent.ts"
import { openGemini } from "./rig/gemini.ts"

const shell = (command: string) => tool("run_shell_command", { command, description: "run a command" })

/** Aborts at the first event that fits and collects to the end. */
const abortAt = async (
  script: GeminiScript,
  fits: (event: AgentEvent) => boolean,
  params: Partial<AgentExecuteParams> = {}
) => {
  await using real = await openGemini(script)
  const controller = new AbortController()
  const events: Array<AgentEvent> = []
  for await (const event of real.execute({ abortSignal: controller.signal, ...params })) {
    events.push(event)
    if (fits(event)) controller.abort()
  }
  return { ...summarize(events), left: processesWith(real.sandbox.home) }
}

describe("endings", () => {
  it("aborts in mid-text", async () => {
    const { result, error, left } = await abortAt([stall(["some ", "words"])], (event) => event.type === "text")
    expect(error).toMatchObject({ category: "aborted" })
    expect(result).toMatchObject({ outcome: "aborted", aborted: true })
    expect(result.text).toMatch(/^some /)
    expect(left).toEqual([])
  })

  it("aborts in mid-tool, and the tool's process goes with it", async () => {
    const script = [call(shell("node -e 'setTimeout(() => {}, 600000)' reins-sleeper")), say("never")]
    const isRunning = (event: AgentEvent) => event.type === "tool_use"
    const { result, left } = await abortAt(script, isRunning, { permissionMode: "bypass" })
    expect(result).toMatchObject({ outcome: "aborted", text: "" })
    expect(left).toEqual([])
  })

  it("leaves no background process of a run that ended well", async () => {
    await using real = await openGemini([
      call(shell("node -e 'setTimeout(() => {}, 600000)' >/dev/null 2>&1 &")),
      say("ok")
    ])
    const { result } = await real.collect({ permissionMode: "bypass" })
    expect(result).toMatchObject({ outcome: "completed", text: "ok" })
    expect(processesWith(real.sandbox.home)).toEqual([])
  })

  it("times out on a server that never answers, and not while a tool is at work", async () => {
    const timeouts = { idle: 1_500 }
    await using mute = await openGemini([silence()], { agent: { timeouts } })
    const { result, error } = await mute.collect()
    expect(error).toMatchObject({ category: "timeout", code: "timeout_idle" })
    expect(result).toMatchObject({ outcome: "timed_out", reason: "timed_out" })
    expect(processesWith(mute.sandbox.home)).toEqual([])
    const command = "node -e 'setTimeout(() => console.log(1), 2500)'"
    await using busy = await openGemini([call(shell(command)), say("Done.")], { agent: { timeouts } })
    expect((await busy.collect({ permissionMode: "bypass" })).result).toMatchObject({ outcome: "completed" })
  })

  it("is gone when the consumer leaves the loop", async () => {
    await using real = await openGemini([stall(["some ", "words"])])
    for await (const event of real.execute()) if (event.type === "text") break
    expect(processesWith(real.sandbox.home)).toEqual([])
  })
})
