/** Runs of fake CLIs by the Effect door, and one tool of each CLI: a command, which all of them have. */
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import type { FakeCli } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { makeDirectory } from "../kit/temporary.ts"

export const ids = Object.keys(clis) as ReadonlyArray<CliId>

export const commandTool: Readonly<Record<CliId, string>> = {
  claude: "Bash",
  gemini: "run_shell_command",
  codex: "command_execution",
  opencode: "bash",
  pi: "bash"
}

/** A run of it, in a directory of its own without other settings: all events, and how it was called. */
export const runOf = (
  fake: FakeCli,
  params: Partial<AgentExecuteParams> = {},
  options: Omit<AgentOptions, "command"> = {}
) =>
  Effect.gen(function* () {
    const { calls } = yield* InstalledFake
    const agent = yield* AgentRuntime
    const workingDirectory = yield* makeDirectory
    const events = yield* Stream.runCollect(agent.execute({ prompt: "hello", workingDirectory, ...params }))
    return { events, calls: calls() }
  }).pipe(Effect.scoped, Effect.provide(InstalledFake.layer(fake, { killGrace, ...options })))

/** The events of a run, without its end. */
export const eventsOf = (events: ReadonlyArray<AgentEvent>) =>
  events.filter(({ type }) => type !== "error" && type !== "done")

/** In short: what was said and done, with no more than its words. */
export const storyOf = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  eventsOf(events).flatMap((event) => {
    switch (event.type) {
      case "text":
      case "thinking":
        return [`${event.type} ${event.text}`]
      case "tool_use":
        return [`${event.type} ${event.toolName} ${JSON.stringify(event.input)}`]
      case "tool_result":
        return [`${event.type} ${event.output}${event.isError ? " (error)" : ""}`]
      case "notice":
        return [`${event.type} ${event.kind}`]
      case "usage":
        // How often it is told is up to the CLI.
        return []
      default:
        return [event.type]
    }
  })
