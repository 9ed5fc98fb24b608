/** Handlers of this home for messages to its conversations. */
import { Effect, Option, Schedule, Schema } from "effect"
import { Rpc } from "effect/rpc"
import type { AgentError } from "../contract/AgentError.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import { present } from "../contract/present.ts"
import type { PlanAnswer } from "../contract/Rule.ts"
import { boundedDepth } from "../contract/text/jsonLine.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { turnById } from "../conversations/turns/turnRows.ts"
import { Conversation, Unasked } from "./conversationEntity.ts"
import type { ConversationQueues } from "./conversationQueues.ts"

/** Between attempts to read the row of a turn. */
const again = "1 second"
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The session checks it. */
const answerOf = (text: string) => Option.getOrUndefined(parse(boundedDepth(text))) as PlanAnswer

export const layerConversations = (store: OpenStore, queues: ConversationQueues) => {
  /** Calls the live session of the conversation; false if it has none. */
  const withSession = (conversation: string, work: (session: AgentSession) => Effect.Effect<boolean, AgentError>) =>
    Effect.suspend(() => {
      const session = queues.live.present(conversation)
      return session === undefined ? Effect.succeed(false) : work(session)
    }).pipe(
      Effect.mapError(({ message }) => new Unasked({ message: message.slice(0, 2_000) })),
      Rpc.fork
    )
  return Conversation.toLayer(
    {
      Turn: ({ payload: { turnId } }) =>
        Effect.gen(function* () {
          const turn = yield* turnById(store, turnId)
          if (turn === undefined || turn.home !== store.home) return
          yield* queues.wake(turn)
          yield* queues.over(turn)
        }).pipe(Effect.retry({ schedule: Schedule.spaced(again) }), Effect.ignore, Rpc.fork),
      Send: ({ payload: { conversation, text } }) => withSession(conversation, (session) => session.steer(text)),
      Decide: ({ payload: { conversation, requestId, answer } }) =>
        withSession(conversation, (session) => session.decide(requestId, answerOf(answer))),
      Answer: ({ payload: { conversation, requestId, answers, person, where } }) =>
        withSession(conversation, (session) =>
          session.answer(
            requestId,
            answers ?? undefined,
            present({ person: person ?? undefined, where: where ?? undefined })
          )
        ),
      Interrupt: ({ payload: { turnId } }) => Rpc.fork(queues.interrupt(turnId)),
      Change: ({ payload: { conversation, model, permissionMode } }) =>
        withSession(
          conversation,
          Effect.fnUntraced(function* (session) {
            if (model !== null) yield* session.setModel(model)
            if (permissionMode !== null) yield* session.setPermissionMode(permissionMode)
            return true
          })
        ),
      Close: ({ payload: { conversation } }) => Rpc.fork(queues.live.close(conversation))
    },
    { concurrency: "unbounded", maxIdleTime: "5 minutes" }
  )
}
