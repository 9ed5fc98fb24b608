/** Runs and live sessions that take part in a conversation. Loaded, as the store is, only by the flags that need it. */
import { Context, Effect, Layer, Stream } from "effect"
import { failedRun } from "../agents/engine/result.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { ConversationOpenParams, TurnParams } from "../contract/AgentOpenParams.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { Sessions } from "../conversations/Sessions.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { Store } from "../conversations/store/Store.ts"
import { Worktrees } from "../conversations/Worktrees.ts"
import { failureOf } from "./recording/recordedAgent.ts"

type Opening = Effect.Effect<OpenStore, StoreError>

export const sessionsOver = (store: Opening) =>
  Layer.build(Layer.provide(Sessions.layer, Layer.provideMerge(Worktrees.layer, Layer.effect(Store, store))))

export const conversationEvents = (params: TurnParams, store: Opening) =>
  Stream.unwrap(
    Effect.match(sessionsOver(store), {
      onFailure: (error): Stream.Stream<AgentEvent> => Stream.fromIterable(failedRun(failureOf(error))),
      onSuccess: (context) => Context.get(context, Sessions).execute(params)
    })
  )

/** Opens a live session that is kept in the store, until the scope closes. */
export const openConversation = (params: ConversationOpenParams, store: Opening) =>
  Effect.gen(function* () {
    const context = yield* Effect.mapError(sessionsOver(store), failureOf)
    return yield* Context.get(context, Sessions).open(params)
  })
