/** Usage that real CLIs report before the end is kept when the run or turn is cut off after its first answer. */
import { expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { createAgent } from "../../src/promise.ts"
import { chatCompletions, messages } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { call, say, silence } from "../../src/testing/servers/Answer.ts"
import { ofType, summarize } from "./rig/agent.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command, openLive } from "./rig/live.ts"

const counts = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20 }

it.each([
  ["claude", messages, undefined],
  ["opencode", chatCompletions, 0.00012],
  ["pi", messages, 0.000568]
] as const)("a run of %s that is aborted behind its first answer", async (id, serve, cost) => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await serve([call(command[id]("true")), silence()]))
  const program = commandFor(id)
  const sandbox = stack.use(await makeSandbox(id, api, { path: pathOf([program]) }))
  const agent = stack.use(createAgent(id, { command: program, env: sandbox.env }))
  const controller = new AbortController()
  const events: Array<AgentEvent> = []
  const params = { prompt: "go", workingDirectory: sandbox.work, permissionMode: "bypass" } as const
  for await (const event of agent.execute({ ...params, env: { IS_SANDBOX: "1" }, abortSignal: controller.signal })) {
    events.push(event)
    // OpenCode counts an answer behind the result of its tool, while it asks again already.
    const isNews = event.type === "tool_result" || event.type === "usage"
    const isCounted = ofType(events, "tool_result").length > 0 && ofType(events, "usage").length > 0
    if (isNews && isCounted) void api.arrival(2).then(() => controller.abort())
  }
  const { result } = summarize(events)
  expect(result).toMatchObject({ outcome: "aborted", usage: counts, stopReason: "tool_use" })
  expect(result.totalCostUsd === undefined ? undefined : Number(result.totalCostUsd.toFixed(6))).toBe(cost)
  expect(ofType(events, "usage").map(({ usage }) => usage)).toEqual([result.usage])
})

it.each(["claude", "codex"] as const)("a turn of %s whose process is gone behind its first answer", async (id) => {
  const params = { permissionMode: "bypass", env: { IS_SANDBOX: "1" } } as const
  await using live = await openLive(id, [call(command[id]("true")), silence()], params)
  const events: Array<AgentEvent> = []
  for await (const event of live.session.turn("go")) {
    events.push(event)
    if (event.type === "tool_result") void live.api.arrival(2).then(() => live.session[Symbol.asyncDispose]())
  }
  const [done] = ofType(events, "turn_done")
  expect(done?.result).toMatchObject({ outcome: "aborted", usage: counts })
  expect(ofType(events, "usage").at(-1)?.usage).toEqual(done?.result.usage)
})

it("two answers of Claude Code give two events, the last of which is the result's", async () => {
  await using live = await openLive("claude", [call(command.claude("true")), say("done")], {
    permissionMode: "bypass",
    env: { IS_SANDBOX: "1" }
  })
  const events = await Array.fromAsync(live.session.turn("go"))
  const [done] = ofType(events, "turn_done")
  const reported = ofType(events, "usage")
  expect(reported.map(({ usage }) => usage.inputTokens)).toEqual([100, 200, 200])
  expect(reported.at(-1)).toMatchObject({ usage: done?.result.usage, totalCostUsd: done?.result.totalCostUsd })
})
