/** A host that catches nothing: what the first argument says fails, in the function `caller`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { AgentRuntime, Claude } from "reins"
import { createAgent } from "reins/promise"

const options = { command: "/no/such/cli" }

const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  run: async () => createAgent("claude", options).run({ prompt: "a prompt" }),
  open: async () => createAgent("claude", options).open(),
  options: async () => createAgent("claude", { maxLineBytes: -1 }),
  effect: () =>
    Effect.runPromise(
      AgentRuntime.use((agent) => agent.run({ prompt: "a prompt" })).pipe(
        Effect.provide(Claude.layer(options).pipe(Layer.provide(NodeServices.layer)))
      )
    )
}

await ways[process.argv[2] ?? ""]?.()
