/**
 * An agent in an application on Effect: a service of the application asks it, and gets it by a layer. The rest of the
 * application knows no agent, and a test gives the service another layer, such as `TestRuntime.layer` of
 * `reins/testing/effect`.
 *
 *     git diff --staged | AGENT=codex node examples/effect-layer/main.ts
 */
import { text } from "node:stream/consumers"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Context, Effect, Layer } from "effect"
import { type AgentError, AgentRuntime, Claude, Codex } from "reins"

/** The service of the application. */
class CommitMessages extends Context.Service<
  CommitMessages,
  { readonly write: (diff: string) => Effect.Effect<string, AgentError> }
>()("app/CommitMessages") {
  static readonly layer = Layer.effect(
    CommitMessages,
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const write = Effect.fn("CommitMessages.write")(function* (diff: string) {
        const { text } = yield* agent.run({
          prompt: `Write the message of a commit with this diff: one line, nothing else.\n${diff}`,
          permissionMode: "plan",
          timeouts: { total: "2 minutes" }
        })
        return text.trim()
      })
      return { write }
    })
  )
}

const program = Effect.gen(function* () {
  const { write } = yield* CommitMessages
  const diff = yield* Effect.promise(() => text(process.stdin))
  yield* Console.log(yield* write(diff))
}).pipe(
  Effect.catchTag("AgentError", ({ message, help }) => {
    process.exitCode = 1
    return Console.error(message, help)
  })
)

/** The agent of the configuration. */
const agentLayer = Layer.unwrap(
  Effect.gen(function* () {
    const id = yield* Config.Literals(["claude", "codex"], "AGENT").pipe(Config.withDefault("claude"))
    return id === "codex" ? Codex.layer() : Claude.layer()
  })
)

const application = CommitMessages.layer.pipe(Layer.provide(agentLayer), Layer.provide(NodeServices.layer))
program.pipe(Effect.provide(application), NodeRuntime.runMain)
