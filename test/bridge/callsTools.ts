/** A scripted agent that calls the tools of its host. */
import { Effect, Layer } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import type { HostTool } from "../../src/contract/HostTool.ts"
import { eventually } from "../../src/contract/Input.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

export type CallTool = (name: string, input: unknown) => Effect.Effect<unknown, unknown>

/** Uses the tools of the session that was opened last. */
export const callsTools = (scriptOf: (call: CallTool, names: () => ReadonlyArray<string>) => Script) => {
  let tools: ReadonlyArray<HostTool> = []
  const call: CallTool = (name, input) =>
    Effect.suspend(() => {
      const tool = tools.find((each) => each.name === name)
      if (tool === undefined) return Effect.fail(new Error(`unknown tool ${name}`))
      return eventually(() => tool.run(input, { signal: new AbortController().signal }))
    })
  return Layer.effect(
    AgentRuntime,
    Effect.map(AgentRuntime, (agent) => ({
      ...agent,
      open: (params?: AgentOpenParams) => {
        tools = params?.tools ?? []
        return agent.open(params)
      }
    }))
  ).pipe(Layer.provide(TestRuntime.layer(scriptOf(call, () => tools.map(({ name }) => name)))))
}
