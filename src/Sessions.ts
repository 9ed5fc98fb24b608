/**
 * Conversations that last: what a caller names is gone on with, after a restart, from another process, with whichever CLI
 * it was. Over one agent and a store.
 */
import { Context, Effect, Layer, type Scope, type Stream } from "effect"
import { AgentRuntime } from "./AgentRuntime.ts"
import type { AgentError } from "./contract/AgentError.ts"
import type { AgentEvent } from "./contract/AgentEvent.ts"
import type { AgentRunResult } from "./contract/AgentRunResult.ts"
import { failingAtCall } from "./errors/callSite.ts"
import { makeConversationContext } from "./sessions/makeSessions.ts"
import { executeTurn, runTurn } from "./sessions/runTurn.ts"
import { Store } from "./store/Store.ts"
import type { ConversationTurn } from "./types/ConversationTurn.ts"
import type { RunOptions } from "./types/PlainAgent.ts"

/** The sessions of one agent, in a store. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Goes on with the conversation, or begins it; of two turns of one conversation the second waits for the first, also
     * among processes. Without a conversation it is a run like any other, whose session is kept in the store. Fails like
     * `run` of `AgentRuntime`.
     */
    readonly run: <Output = unknown>(
      params: ConversationTurn<Output>,
      options?: RunOptions
    ) => Effect.Effect<AgentRunResult<Output>, AgentError>
    /** The same as events, `done` last. Never fails: a failure is an `error` event before `done`. */
    readonly execute: <Output = unknown>(params: ConversationTurn<Output>) => Stream.Stream<AgentEvent<Output>>
  }
>()("reins/Sessions") {
  /** Over the agent and the store of the context. */
  static readonly layer: Layer.Layer<Sessions, never, AgentRuntime | Store> = Layer.effect(
    Sessions,
    Effect.suspend(() => make)
  )
}

const make: Effect.Effect<Sessions["Service"], never, AgentRuntime | Store | Scope.Scope> = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  const store = yield* Store
  const facts = { canFork: true, isBoundToDirectory: false }
  const context = yield* makeConversationContext({ agent, facts, store, observers: [] })
  return {
    run: failingAtCall((params, options) => runTurn(context, params, options)),
    execute: (params) => executeTurn(context, params)
  }
})
