/** Runs and live sessions that take part in a conversation. Loaded by the flags that need it alone, as the store is. */
import { Context, Effect, Layer, Stream } from "effect"
import { type FailureReason, StoreUnavailable } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { failedRun } from "../engine/result.ts"
import { Sessions } from "../Sessions.ts"
import type { Configuration } from "../types/Configuration.ts"
import type { ConversationOpenParams, TurnParams } from "../types/TurnParams.ts"
import { configuredStore } from "./store.ts"

/** The reason with which a run fails whose store cannot be opened. */
const failureOf = ({ reason, help }: StoreError): FailureReason => {
  switch (reason._tag) {
    case "StoreUnavailable":
    case "InvalidParams":
    case "SessionBusy":
    case "Aborted":
      return reason
    default:
      return new StoreUnavailable({ problem: `${reason.message}. ${help}` })
  }
}

const sessionsOver = (configuration: Configuration) =>
  Layer.build(Layer.provide(Sessions.layer, configuredStore(configuration)))

/** `done` last, as of any run. */
export const conversationEvents = (params: TurnParams, configuration: Configuration) =>
  Stream.unwrap(
    Effect.match(sessionsOver(configuration), {
      onFailure: (error): Stream.Stream<AgentEvent> => Stream.fromIterable(failedRun(failureOf(error))),
      onSuccess: (context) => Context.get(context, Sessions).execute(params)
    })
  )

/** A live session that is kept in the store, until the scope closes. */
export const openConversation = (params: ConversationOpenParams, configuration: Configuration) =>
  Effect.gen(function* () {
    const context = yield* Effect.mapError(sessionsOver(configuration), failureOf)
    return yield* Context.get(context, Sessions).open(params)
  })
