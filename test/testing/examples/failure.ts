/** How does your code react when the CLI is refused by its API, and when it falls silent in the middle of a tool? */
import { AgentError, createAgent } from "reins/promise"
import { FakeCli, Step } from "reins/testing"

const refused = FakeCli.gemini([Step.text("So far "), Step.error({ kind: "rate_limit", retryAfter: "3 seconds" })])
const silent = FakeCli.gemini([
  Step.toolStart({ id: "1", name: "run_shell_command", input: { command: "make" } }),
  Step.hang({ deaf: true })
])

for (const fake of [refused, silent]) {
  await using cli = await FakeCli.install(fake)
  await using agent = createAgent("gemini", {
    command: cli.command,
    timeouts: { tool: "1 second" },
    killGrace: "1 second"
  })
  const error = await agent.run({ prompt: "hello" }).catch((error: unknown) => error)
  if (error instanceof AgentError)
    console.log(error.reason.category, error.reason.code, JSON.stringify(error.result.text))
}
