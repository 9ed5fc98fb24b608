/** Events for given runs, and both ways to hear one by the Effect door. */
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentEvent, ErrorEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { TestRuntime } from "../../src/testingEffect.ts"

export const session: AgentEvent = { type: "session", sessionId: "s-1" }
export const text = (words: string, parentToolId?: string): AgentEvent =>
  parentToolId === undefined ? { type: "text", text: words } : { type: "text", text: words, parentToolId }
export const voided = (characters: number): AgentEvent => ({
  type: "notice",
  kind: "text_voided",
  message: "withdrawn",
  data: { characters }
})
const retryPasses: ReadonlySet<string> = new Set(["rate_limit", "overloaded", "network"])

/** As a real run would tell it. */
export const error = (code: string, category: ErrorEvent["category"]): ErrorEvent => ({
  type: "error",
  message: "No.",
  code,
  category,
  retryable: retryPasses.has(category)
})
export const done: Extract<AgentEvent, { type: "done" }> = {
  type: "done",
  result: {
    outcome: "completed",
    reason: "completed",
    text: "of the test",
    sessionId: "s-2",
    durationMs: 7,
    usage: undefined,
    aborted: false
  }
}

export const execute = (
  events: TestRuntime.Script,
  params: Partial<AgentExecuteParams> = {},
  options: { readonly cli?: Cli } = {}
) =>
  AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "hello", ...params }))).pipe(
    Effect.provide(TestRuntime.layer(events, options))
  )

export const run = (
  events: TestRuntime.Script,
  params: Partial<AgentExecuteParams> = {},
  options: { readonly cli?: Cli } = {}
) =>
  AgentRuntime.use((agent) => agent.run({ prompt: "hello", ...params })).pipe(
    Effect.provide(TestRuntime.layer(events, options))
  )
