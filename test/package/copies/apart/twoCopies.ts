/** An application whose `effect` is not the one beside `reins`, with each door. Prints a line of JSON. */
import { Duration, Effect, Redacted, Schema, Stream } from "effect"
import { AgentRuntime, Cli, TimedOut } from "reins"
import { AgentError, createAgent } from "reins/promise"
import { FakeCli, Step } from "reins/testing"
import { InstalledFake, TestRuntime } from "reins/testing/effect"

const facts: Record<string, unknown> = {}
const problemOf = (error: unknown) => (error instanceof AgentError ? error.reason.message : String(error))

/** Working across copies: effects, layers, streams, services, durations. */
const hello = FakeCli.claude([Step.text("Hello!")])
const run = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  const events = yield* Stream.runCollect(agent.execute({ prompt: "hi", timeouts: { total: Duration.minutes(1) } }))
  const { calls } = yield* InstalledFake
  return [events.at(-1)?.type, calls().length]
})
facts["run"] = await Effect.runPromise(Effect.provide(run, InstalledFake.layer(hello)))
const late = AgentRuntime.use((agent) => agent.run({ prompt: "hi", timeouts: { total: Duration.millis(50) } })).pipe(
  Effect.provide(TestRuntime.layer(() => Stream.never)),
  Effect.catchTag("AgentError", ({ reason }) => Effect.succeed(reason instanceof TimedOut))
)
facts["caught"] = await Effect.runPromise(late)

/** Values that need the copy that made them. */
const outputSchema = Schema.Struct({ files: Schema.Int })
const env = { TOKEN: Redacted.make("secret") }
const withEffect = (params: object) =>
  Effect.runPromise(
    AgentRuntime.use((agent) => Effect.flip(agent.run({ prompt: "hi", ...params }))).pipe(
      Effect.provide(InstalledFake.layer(hello)),
      Effect.map(problemOf)
    )
  )
await using cli = await FakeCli.install(hello)
await using agent = createAgent("claude", { command: cli.command })
const withPromise = (params: object) => agent.run({ prompt: "hi", ...params }).catch(problemOf)
facts["schema"] = [await withEffect({ outputSchema }), await withPromise({ outputSchema })]
facts["redacted"] = [await withEffect({ env }), await withPromise({ env })]
try {
  Cli.wireDecoder(Schema.Struct({ text: Schema.String }))
} catch (error) {
  facts["wire"] = String(error)
}
console.log(JSON.stringify(facts))
