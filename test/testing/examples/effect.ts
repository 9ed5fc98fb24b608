/** The same for Effect callers: a layer that has the agent, and how its CLI was called. */
import { Effect } from "effect"
import { AgentRuntime } from "reins"
import { FakeCli, InstalledCli, Step } from "reins/testing"

const test = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  const { text } = yield* agent.run({ prompt: "hello", model: "gpt-5.5" })
  const { calls } = yield* InstalledCli
  return [text, calls()[0]?.arguments.includes("--model=gpt-5.5")]
}).pipe(Effect.provide(FakeCli.layer(FakeCli.codex([Step.text("Hello!")]))))

console.log(await Effect.runPromise(test))
