/** Conversations over an agent and an open store: the body of the service `Sessions`. */
import { Effect, type Scope } from "effect"
import type { Observer } from "../../contract/Observer.ts"
import type { RunOptions } from "../../contract/PlainAgent.ts"
import type { ConversationOpenParams, TurnParams } from "../../contract/TurnParams.ts"
import { makeNameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { makeTranscriptObserver } from "../transcript/observer.ts"
import type { ConversationAgent, ConversationContext, SessionFacts } from "./context.ts"
import { makeHold } from "./conversationHold.ts"
import { keepTextsYoung } from "./oldTexts.ts"
import { openConversation } from "./openConversation.ts"
import { executeTurn, runTurn } from "./runTurn.ts"
import { writeSpilled } from "./spill.ts"

export interface ConversationContextOptions {
  readonly agent: ConversationAgent
  readonly facts: SessionFacts
  readonly store: OpenStore
  readonly observers?: ReadonlyArray<Observer>
  /** Default: false. */
  readonly areTurnsOfOthers?: boolean
}

export const makeConversationContext = Effect.fnUntraced(function* ({
  agent,
  facts,
  store,
  observers = [],
  areTurnsOfOthers = false
}: ConversationContextOptions): Effect.fn.Return<ConversationContext, never, Scope.Scope> {
  const turns = yield* makeNameLocks(store, "turn")
  return { agent, facts, store, turns, observers, areTurnsOfOthers, hold: makeHold(store) }
})

/** The methods of the service. */
export const makeSessions = Effect.fnUntraced(function* (options: ConversationContextOptions) {
  const { store } = options
  // Before anybody takes such a turn for interrupted.
  yield* writeSpilled(store)
  yield* Effect.forkScoped(keepTextsYoung(store))
  const transcript = yield* makeTranscriptObserver(store)
  const observers = [...(options.observers ?? []), ...(transcript === undefined ? [] : [transcript])]
  const context = yield* makeConversationContext({ ...options, observers })
  return {
    run: <Output>(params: TurnParams<Output>, given?: RunOptions) => runTurn<Output>(context, params, given),
    execute: <Output>(params: TurnParams<Output>) => executeTurn<Output>(context, params),
    open: (params?: ConversationOpenParams) => openConversation(context, params)
  }
})
