/** An agent whose runs and sessions go through a store; loaded when an agent has one. */
import { Effect, Layer } from "effect"
import { AgentRuntime } from "../AgentRuntime.ts"
import { Sessions } from "../Sessions.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { Store } from "../store/Store.ts"

/** The same service, whose parameters may name a conversation. */
export const storedAgent = (agent: Layer.Layer<AgentRuntime>, store: OpenStore): Layer.Layer<AgentRuntime> => {
  const through = Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const { run, execute, open } = yield* Sessions
      return { ...(yield* AgentRuntime), run, execute, open }
    })
  )
  return through.pipe(Layer.provide(Sessions.layer), Layer.provide(agent), Layer.provide(Layer.succeed(Store, store)))
}
