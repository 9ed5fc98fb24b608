/** Conversations over an agent and an open store: the body of the service `Sessions`. */
import { Effect, type Scope } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"
import type { Observer } from "../types/Observer.ts"
import type { RunOptions } from "../types/PlainAgent.ts"
import type { ConversationOpenParams, TurnParams } from "../types/TurnParams.ts"
import type { ConversationAgent, ConversationContext, SessionFacts } from "./context.ts"
import { makeLocalHold } from "./localHold.ts"
import { openConversation } from "./openConversation.ts"
import { executeTurn, runTurn } from "./runTurn.ts"
import { makeTurnLocks } from "./turnLocks.ts"

export interface ConversationContextOptions {
  readonly agent: ConversationAgent
  readonly facts: SessionFacts
  readonly store: OpenStore
  readonly observers: ReadonlyArray<Observer>
}

export const makeConversationContext = Effect.fnUntraced(function* ({
  agent,
  facts,
  store,
  observers
}: ConversationContextOptions): Effect.fn.Return<ConversationContext, never, Scope.Scope> {
  const turns = yield* makeTurnLocks(store)
  return { agent, facts, store, turns, observers, hold: makeLocalHold() }
})

/** The methods of the service. */
export const makeSessions = Effect.fnUntraced(function* (options: ConversationContextOptions) {
  const context = yield* makeConversationContext(options)
  return {
    run: <Output>(params: TurnParams<Output>, given?: RunOptions) => runTurn<Output>(context, params, given),
    execute: <Output>(params: TurnParams<Output>) => executeTurn<Output>(context, params),
    open: (params?: ConversationOpenParams) => openConversation(context, params)
  }
})
