/** Handlers of this home for messages to its conversations. */
import { Effect, Option, Schedule, Schema } from "effect"
import { Rpc } from "effect/rpc"
import type { AgentError } from "../contract/AgentError.ts"
import type { PlanAnswer } from "../contract/Rule.ts"
import { boundedDepth } from "../contract/text/boundedDepth.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { turnById } from "../conversations/turns/turnRows.ts"
import { Conversation, Unasked } from "./conversationEntity.ts"
import type { ConversationQueues } from "./conversationQueues.ts"

/** Between tries to read the row of a turn. */
const again = "1 second"

const asUnasked = (error: AgentError) => new Unasked({ message: error.message.slice(0, 2_000) })

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Checked by the session. */
const answerOf = (text: string) => Option.getOrUndefined(parse(boundedDepth(text))) as PlanAnswer

export const layerConversations = (store: OpenStore, lanes: ConversationQueues) =>
  Conversation.toLayer(
    {
      Turn: ({ payload: { turnId } }) =>
        Effect.gen(function* () {
          const turn = yield* turnById(store, turnId)
          if (turn === undefined || turn.home !== store.home) return
          yield* lanes.wake(turn)
          yield* lanes.over(turn.cli, turn.conversation, turnId)
        }).pipe(Effect.retry({ schedule: Schedule.spaced(again) }), Effect.ignore, Rpc.fork),
      Send: ({ payload: { conversation, text } }) =>
        Effect.suspend(() => lanes.live.present(conversation)?.steer(text) ?? Effect.succeed(false)).pipe(
          Effect.mapError(asUnasked),
          Rpc.fork
        ),
      Decide: ({ payload: { conversation, requestId, answer } }) =>
        Effect.suspend(
          () => lanes.live.present(conversation)?.decide(requestId, answerOf(answer)) ?? Effect.succeed(false)
        ).pipe(Effect.mapError(asUnasked), Rpc.fork),
      Answer: ({ payload: { conversation, requestId, answers, person, where } }) =>
        Effect.suspend(
          () =>
            lanes.live.present(conversation)?.answer(requestId, answers ?? undefined, {
              ...(person === null ? {} : { person }),
              ...(where === null ? {} : { where })
            }) ?? Effect.succeed(false)
        ).pipe(Effect.mapError(asUnasked), Rpc.fork),
      Interrupt: ({ payload: { turnId } }) => Rpc.fork(lanes.interrupt(turnId)),
      Change: ({ payload: { conversation, model, permissionMode } }) =>
        Effect.gen(function* () {
          const session = lanes.live.present(conversation)
          if (session === undefined) return false
          if (model !== null) yield* session.setModel(model)
          if (permissionMode !== null) yield* session.setPermissionMode(permissionMode)
          return true
        }).pipe(Effect.mapError(asUnasked), Rpc.fork),
      Close: ({ payload: { conversation } }) => Rpc.fork(lanes.live.close(conversation))
    },
    { concurrency: "unbounded", maxIdleTime: "5 minutes" }
  )
