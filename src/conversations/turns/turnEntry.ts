/** How a turn gets its row. A known id returns its end, waits while it runs elsewhere, or resumes after a crash. */
import { Clock, Effect, type Scope } from "effect"
import {
  type FailureReason,
  SessionBusy,
  StoreUnavailable,
  TurnInterrupted,
  TurnMismatch
} from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { End, Waiting } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { ConversationContext, HoldOptions } from "./context.ts"
import { keyText } from "./conversationKey.ts"
import { type SessionRow, sessionByKey } from "./sessionRows.ts"
import { writeSpilled } from "./settlement.ts"
import { endOfText } from "./storedEnd.ts"
import { type TurnRequest, turnDigest } from "./turnRequest.ts"
import { enqueueTurn, orphanTurn, type TurnRow, turnById } from "./turnRows.ts"

/** Reopens an aborted turn; any other stays as it is. */
export const reopenTurn = Effect.fn(...untraced("TurnEntry.reopenTurn"))(function* (
  store: OpenStore,
  turnId: string
): Effect.fn.Return<void, StoreError> {
  const turn = yield* turnById(store, turnId)
  if (turn?.state !== "done" || turn.result === undefined) return
  if (endOfText(turn.result)?.result.outcome !== "aborted") return
  const { sql, transact } = store
  yield* transact(sql`update turns set state = 'interrupted' where turn_id = ${turnId} and state = 'done'`)
})

/** Recovers a turn whose host is dead or could not write its end. Undefined if it is gone. */
export const recoverTurn = Effect.fn(...untraced("TurnEntry.recoverTurn"))(function* (
  store: OpenStore,
  found: TurnRow
) {
  if (found.state !== "claimed" && found.state !== "spawned") return found
  yield* writeSpilled(store)
  const turn = yield* turnById(store, found.turnId)
  if (turn !== undefined) yield* orphanTurn(store, turn, yield* Clock.currentTimeMillis)
  return yield* turnById(store, found.turnId)
})

/** `end`: of a finished turn. `continues`: the session in which it was interrupted. */
export type Entry =
  | { readonly _tag: "Over"; readonly end: End }
  | { readonly _tag: "Queued"; readonly turnId: string; readonly continues: SessionRow | undefined }

/** Poll interval for a turn that runs elsewhere. */
const betweenLooks = "100 millis"

/** Fails if the row belongs to another question. */
const checked = Effect.fn(...untraced("TurnEntry.checked"))(function* (
  turn: TurnRow | undefined,
  turnId: string,
  digest: string
) {
  if (turn !== undefined && turn.digest !== digest) return yield* new TurnMismatch({ turnId })
  return turn
})

const overOf = ({ turnId, result }: TurnRow): Effect.Effect<Entry, StoreUnavailable> => {
  const end = result === undefined ? undefined : endOfText(result)
  if (end !== undefined) return Effect.succeed({ _tag: "Over", end })
  const problem = `the end of the turn ${JSON.stringify(turnId)} cannot be read by this version`
  return Effect.fail(new StoreUnavailable({ problem }))
}

/** The session in which to continue an interrupted turn, if the caller wants it. */
const takeUp = Effect.fn(...untraced("TurnEntry.takeUp"))(function* (
  { store }: ConversationContext,
  turn: TurnRow,
  { onInterrupted }: TurnRequest<unknown>
) {
  const { turnId } = turn
  if (turn.state !== "interrupted") return undefined
  if (onInterrupted === "fail") return yield* new TurnInterrupted({ turnId })
  if (onInterrupted === "again" || turn.sessionKey === undefined) return undefined
  return yield* sessionByKey(store, turn.sessionKey)
})

/** Holds the turn's lock until the scope closes, unless the turn is over. Fails with `StoreError`, too. */
export const enterTurn = Effect.fn(...untraced("TurnEntry.enterTurn"))(function* (
  context: ConversationContext,
  request: TurnRequest<AgentExecuteParams>,
  { queued }: Pick<HoldOptions, "queued">
) {
  const { store, turns, agent } = context
  const { key, params } = request
  const conversation = key === undefined ? "" : keyText(key)
  const digest = turnDigest(key, params)
  const enqueue = (turnId: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      enqueueTurn(store, { turnId, conversation, cli: agent.cli, prompt: params.prompt, digest }, now)
    )
  const requestedId = request.turnId
  if (requestedId === undefined) {
    const turnId = crypto.randomUUID()
    // Outside of a conversation no other process can request it.
    if (key !== undefined) yield* turns.take(turnId)
    yield* enqueue(turnId)
    return { _tag: "Queued", turnId, continues: undefined } satisfies Entry
  }
  let isTold = false
  const look = Effect.gen(function* (): Effect.fn.Return<Entry | undefined, FailureReason | StoreError, Scope.Scope> {
    const before = yield* checked(yield* turnById(store, requestedId), requestedId, digest)
    if (before?.state === "done") return yield* overOf(before)
    const isElsewhere = before?.home !== undefined && before.home !== store.home && before.state !== "interrupted"
    if (isElsewhere || !(yield* turns.take(requestedId))) {
      if (request.whenBusy === "fail") {
        return yield* new SessionBusy({ what: "conversation", subject: requestedId, waitedMs: 0 })
      }
      if (!isTold) queued({ problem: "the same turn is running", data: { turnId: requestedId } })
      isTold = true
      return undefined
    }
    // It may have ended before the lock was taken.
    const found = yield* checked(yield* turnById(store, requestedId), requestedId, digest)
    // The lock is ours: its former holder is dead or has released it.
    const turn = found && (yield* recoverTurn(store, found))
    if (turn === undefined) {
      yield* enqueue(requestedId)
      return { _tag: "Queued", turnId: requestedId, continues: undefined }
    }
    if (turn.state === "done") return yield* overOf(turn)
    const continues = yield* takeUp(context, turn, request)
    return { _tag: "Queued", turnId: requestedId, continues }
  })
  while (true) {
    const entry = yield* look
    if (entry !== undefined) return entry
    yield* Effect.sleep(betweenLooks)
  }
})

export const queuedNotice =
  (tell: (event: AgentEvent) => void) =>
  ({ problem, data = {} }: Waiting) =>
    tell({ type: "notice", kind: "queued", message: `The turn waits: ${problem}`, data })

/** Prompt in the session of the interrupted turn. */
export const goOn =
  "Go on with the task: you were interrupted while you were at work. First look at what is already done."

/** Prompt in another session, which does not know the task. */
export const goOnWith = (prompt: string) =>
  `Go on with the task below: it was interrupted while you were at work on it. First look at what is already done.\n\n${prompt}`
