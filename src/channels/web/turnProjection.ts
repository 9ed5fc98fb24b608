/** Updates of the bridge (`watch`) → rows of the page, and states of its conversations. Waits only for the store. */
import { Cause, Clock, Context, Effect, Latch, Layer, Queue } from "effect"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import type { BegunSight, ServedSight, Sight } from "../../bridge/messages/Sight.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { present } from "../../contract/present.ts"
import { type ConversationState, ConversationTable, personOf } from "./rows/conversationTable.ts"
import { Hub } from "./rows/hub.ts"
import type { WebRow } from "./rows/row.ts"
import { type LaterRow, RowLog } from "./rows/rowLog.ts"
import { RowTable } from "./rows/rowTable.ts"
import { boundedEvent, makeTurnRows, type TurnRows } from "./rows/turnRows.ts"

export class TurnProjection extends Context.Service<
  TurnProjection,
  {
    readonly watch: (sight: Sight) => Effect.Effect<void>
    /** Returns undefined until a bridge serves the account. */
    readonly served: () => ServedSight | undefined
    /** The same, after waiting a moment for a bridge. */
    readonly whenServed: Effect.Effect<ServedSight | undefined>
    /** Changes with each end of a turn, which changes budgets, and with each start of a bridge. */
    readonly revision: () => number
    /** The running turn of a conversation. */
    readonly turnIn: (chat: string) => string | undefined
    readonly setState: (chat: string, state: ConversationState) => Effect.Effect<void>
  }
>()("reins/web/TurnProjection") {
  static readonly layer = Layer.effect(
    TurnProjection,
    Effect.suspend(() => makeTurnProjection)
  )
}

/** The id of a message without its conversation's. */
const messageOf = (updateId: string): string => updateId.slice(updateId.lastIndexOf("/") + 1)

const patience = "5 seconds"

const endStates = { completed: "done", aborted: "done", failed: "failed", timed_out: "failed" } as const

/** The result without its text, which comes as events. */
const withoutText = ({ text: _, stderrTail: __, ...result }: Extract<Sight, { _tag: "Ended" }>["result"]) => result

const makeTurnProjection = Effect.gen(function* () {
  const [log, table, conversations, hub] = [yield* RowLog, yield* RowTable, yield* ConversationTable, yield* Hub]
  /** Background writes, in order. */
  const work = yield* Queue.unbounded<Effect.Effect<void>>()
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.catchCause(Effect.flatten(Queue.take(work)), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.logError("what the page shows of a turn could not be kept", Cause.squash(cause))
      )
    )
  )
  const turns = new Map<string, TurnRows>()
  /** By conversation: its running turn, and the open requests. */
  const running = new Map<string, string>()
  const asking = new Map<string, Set<string>>()
  let served: ServedSight | undefined
  let revision = 0
  const isServed = Latch.makeUnsafe(false)

  const later = (done: Effect.Effect<unknown, { readonly message: string }>) =>
    Effect.asVoid(
      Queue.offer(
        work,
        Effect.catch(Effect.asVoid(done), (error) => Effect.logWarning(`the page's list is behind: ${error.message}`))
      )
    )

  const change = ({ chatId }: Pick<Conversation, "chatId">, to: Parameters<typeof conversations.change>[1]) =>
    later(
      Effect.andThen(
        conversations.change(chatId, to),
        Effect.sync(() => hub.state(personOf(chatId)))
      )
    )

  const put = (chat: string, at: number, rows: ReadonlyArray<Pick<LaterRow, "take">>, turn?: string) =>
    log.put(rows.map(({ take }) => ({ chat, at, take, ...present({ turn }) })))

  const one = (chat: string, at: number, body: WebRow, turn?: string) => put(chat, at, [{ take: () => body }], turn)

  const begun = ({ conversation, turnId, agent, model, mode, directory, updateIds }: BegunSight, at: number) => {
    const { chatId } = conversation
    turns.set(turnId, makeTurnRows(turnId))
    running.set(chatId, turnId)
    asking.delete(chatId)
    const chosen = present({ model, mode, directory })
    const [message] = updateIds.map(messageOf)
    one(chatId, at, { row: "run", turn: turnId, agent, ...chosen, ...present({ message }) }, turnId)
    return change(conversation, { state: "running", agent, at, ...chosen })
  }

  /** Updates the state by the open requests. */
  const trackRequests = (conversation: Conversation, event: AgentEvent): Effect.Effect<void> => {
    const { chatId } = conversation
    const open = asking.get(chatId) ?? new Set<string>()
    const before = open.size
    // Requests that a rule decides have no deadline, and are not shown.
    const isForPeople =
      event.type === "question" || (event.type === "permission_request" && event.deadlineMs !== undefined)
    if (isForPeople) open.add(event.requestId)
    else if (event.type === "permission_decision" || event.type === "question_answer") open.delete(event.requestId)
    else return Effect.void
    asking.set(chatId, open)
    if (before > 0 === open.size > 0) return Effect.void
    return change(conversation, { state: open.size > 0 ? "asking" : running.has(chatId) ? "running" : "done" })
  }

  const event = (conversation: Conversation, turnId: string | undefined, incomingEvent: AgentEvent, at: number) => {
    const { chatId } = conversation
    const turn = turnId === undefined ? undefined : turns.get(turnId)
    if (turn !== undefined) put(chatId, at, turn.push(incomingEvent), turnId)
    else one(chatId, at, { row: "event", event: boundedEvent(incomingEvent), ...present({ turn: turnId }) }, turnId)
    return trackRequests(conversation, incomingEvent)
  }

  const ended = ({ conversation, turnId, result }: Extract<Sight, { _tag: "Ended" }>, at: number) => {
    const { chatId } = conversation
    turns.delete(turnId)
    running.delete(chatId)
    asking.delete(chatId)
    one(chatId, at, { row: "done", turn: turnId, result: withoutText(result) }, turnId)
    revision += 1
    const compacting = Effect.andThen(log.commit([]), table.compact(turnId))
    return Effect.andThen(change(conversation, { state: endStates[result.outcome], at }), later(compacting))
  }

  return TurnProjection.of({
    served: () => served,
    revision: () => revision,
    whenServed: Effect.map(Effect.timeoutOption(isServed.await, patience), () => served),
    turnIn: (chat) => running.get(chat),
    setState: (chatId, state) => change({ chatId }, { state }),
    watch: (sight) =>
      Effect.flatMap(Clock.currentTimeMillis, (at): Effect.Effect<void> => {
        switch (sight._tag) {
          case "Served":
            served = sight
            isServed.openUnsafe()
            revision += 1
            return Effect.sync(() => hub.state())
          case "Chosen": {
            const { agent = null, model = null, mode = null, directory = null } = sight.chosen
            return change(sight.conversation, { agent, model, mode, directory })
          }
          case "Message": {
            const { conversation, updateId, state, place } = sight
            const row = { row: "state", message: messageOf(updateId), state, ...present({ place }) } as const
            return Effect.sync(() => one(conversation.chatId, at, row))
          }
          case "Begun":
            return begun(sight, at)
          case "Event":
            return event(sight.conversation, sight.turnId, sight.event, at)
          case "Stopping": {
            const { conversation, turnId } = sight
            return Effect.sync(() => one(conversation.chatId, at, { row: "stopping", turn: turnId }, turnId))
          }
          case "Ended":
            return ended(sight, at)
        }
      })
  })
})
