/** The same for Effect callers: a layer that has the agent, and how its CLI was called. */
import { Effect } from "effect"
import { AgentRuntime } from "reins"
import { FakeCli, Step } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"

const test = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  const { text } = yield* agent.run({ prompt: "hello", model: "gpt-5.5" })
  const { calls } = yield* InstalledFake
  return [text, calls()[0]?.arguments.includes("--model=gpt-5.5")]
}).pipe(Effect.provide(InstalledFake.layer(FakeCli.codex([Step.text("Hello!")]))))

console.log(await Effect.runPromise(test))
