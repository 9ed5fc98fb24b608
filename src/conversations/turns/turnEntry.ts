/**
 * How a turn comes to its row: a new one is queued; the same id again gives the stored end, waits while its run lives
 * elsewhere, or takes it up where its host is dead.
 */
import { Clock, Effect, type Scope } from "effect"
import {
  type FailureReason,
  SessionBusy,
  StoreUnavailable,
  TurnInterrupted,
  TurnMismatch
} from "../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { End } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { ConversationContext, HoldOptions } from "./context.ts"
import { keyText } from "./conversationKey.ts"
import { recoverTurn } from "./recoverTurn.ts"
import { type SessionRow, sessionByKey } from "./sessionRows.ts"
import { endOfText } from "./storedEnd.ts"
import { turnDigest } from "./turnDigest.ts"
import type { TurnRequest } from "./turnRequest.ts"
import { enqueueTurn, type TurnRow, turnById } from "./turnRows.ts"

/** `end`: of a turn that is over. `continues`: the session in which it was interrupted. */
export type Entry =
  | { readonly _tag: "Over"; readonly end: End }
  | { readonly _tag: "Queued"; readonly turnId: string; readonly continues: SessionRow | undefined }

/** At a turn that runs elsewhere. */
const betweenLooks = "100 millis"

/** The row belongs to the same question. */
const checked = Effect.fnUntraced(function* (turn: TurnRow | undefined, turnId: string, digest: string) {
  if (turn !== undefined && turn.digest !== digest) return yield* new TurnMismatch({ turnId })
  return turn
})

const overOf = ({ turnId, result }: TurnRow): Effect.Effect<Entry, StoreUnavailable> => {
  const end = result === undefined ? undefined : endOfText(result)
  if (end !== undefined) return Effect.succeed({ _tag: "Over", end })
  const problem = `the end of the turn ${JSON.stringify(turnId)} cannot be read by this version`
  return Effect.fail(new StoreUnavailable({ problem }))
}

/** An interrupted one, as the caller wants it: gives the session to go on with. */
const takeUp = Effect.fnUntraced(function* (
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

/** Fails with `StoreError`, too. The turn's lock is held until the scope closes, unless the turn is over. */
export const enterTurn = Effect.fnUntraced(function* (
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
    // Outside of a conversation no other process can ask for it.
    if (key !== undefined) yield* turns.take(turnId)
    yield* enqueue(turnId)
    const queuedNow: Entry = { _tag: "Queued", turnId, continues: undefined }
    return queuedNow
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
    // It may have ended between the look and the lock.
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
