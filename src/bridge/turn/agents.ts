/** The agents of a bridge by name, each with its conversations in the store. An agent is created on first use. */
import { Context, Effect, Layer, type Scope } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { Sessions } from "../../conversations/Sessions.ts"
import type { Store } from "../../conversations/store/Store.ts"
import type { Platform } from "../../system/process/Platform.ts"
import type { BridgeAgents } from "../BridgeOptions.ts"

/** The application's wrapper for the conversations of an agent; default: none. */
export const ConversationsOf = Context.Reference<(cli: string, sessions: Sessions["Service"]) => Sessions["Service"]>(
  "reins/bridge/ConversationsOf",
  { defaultValue: () => (_, sessions) => sessions }
)

/** An agent, and its conversations. */
export interface BridgeAgent {
  readonly sessions: Sessions["Service"]
  readonly runtime: Pick<AgentRuntime["Service"], "cli" | "defaults">
}

/** Returns undefined for an unknown name. */
type AgentOfName = (name: string) => Effect.Effect<BridgeAgent> | undefined

export const makeAgents = Effect.fnUntraced(function* (
  agents: BridgeAgents
): Effect.fn.Return<AgentOfName, never, Scope.Scope | Store | Platform> {
  const context = yield* Effect.context<Scope.Scope | Store | Platform>()
  const conversationsOf = yield* ConversationsOf
  const made = yield* Effect.forEach(Object.entries(agents), ([name, agent]) =>
    Effect.map(
      Effect.cached(
        Effect.provideContext(
          Effect.map(Layer.build(Layer.provideMerge(Sessions.layer, agent)), (built) => ({
            sessions: conversationsOf(Context.get(built, AgentRuntime).cli, Context.get(built, Sessions)),
            runtime: Context.get(built, AgentRuntime)
          })),
          context
        )
      ),
      (made) => [name, made] as const
    )
  )
  const byName = new Map(made)
  return (name) => byName.get(name)
})
