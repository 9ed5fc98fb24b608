/** Code that uses an agent is tested with the events that its runs are to give; no process is started. */
import { Effect } from "effect"
import { AgentRuntime } from "reins"
import { TestRuntime } from "reins/testing/effect"

/** The code under test: it asks once more, and more calmly, where the model was overloaded. */
const ask = Effect.fn(function* (prompt: string) {
  const agent = yield* AgentRuntime
  const { text } = yield* agent.run({ prompt }).pipe(
    Effect.catchIf(
      ({ reason }) => reason.category === "overloaded",
      () => agent.run({ prompt: `${prompt} Take your time.` })
    )
  )
  return text
})

const events = TestRuntime.layer(({ prompt }) =>
  prompt.endsWith("Take your time.")
    ? [{ type: "text", text: "Gladly." }]
    : [{ type: "error", message: "No.", code: "overloaded_error", category: "overloaded", retryable: true }]
)

console.log(await Effect.runPromise(ask("What is new?").pipe(Effect.provide(events))))
