/** An agent whose runs and sessions go through a store and its ledger; loaded when an agent has one. */
import { Effect, Layer } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import type { LedgerOptions } from "../../contract/Usage.ts"
import { Sessions } from "../../conversations/Sessions.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import { Ledger } from "../../money/Ledger.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import { warnings } from "./Errors.ts"

/** The same service, whose parameters may name a conversation. The ledger comes after the gates in `seams`. */
export const storedAgent = (
  agentWith: (seams: Layer.Layer<never>) => Layer.Layer<AgentRuntime>,
  seams: Layer.Layer<never>,
  store: OpenStore,
  options: LedgerOptions
): Layer.Layer<AgentRuntime> => {
  const opened = Layer.succeed(Store, store)
  // The options were checked when the agent was made.
  const ledger = Layer.orDie(Ledger.layer(options)).pipe(Layer.provide([opened, warnings]))
  const agent = agentWith(Layer.provideMerge(ledger, seams))
  const through = Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const { run, execute, open } = yield* Sessions
      return { ...(yield* AgentRuntime), run, execute, open }
    })
  )
  const sessions = Layer.provide(Sessions.layer, Layer.provide(Worktrees.layer, nodePlatform))
  return through.pipe(Layer.provide(sessions), Layer.provide(agent), Layer.provide(opened))
}
