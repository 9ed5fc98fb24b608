/**
 * Performs the turns of this home: those of a conversation one after the other, by their numbers, for all callers and
 * announcements. The queue is in the store: a message, or a poll once a second, only wakes it.
 */
import { Effect, Latch } from "effect"
import type { StoreError } from "../contract/StoreError.ts"
import { untraced } from "../contract/untraced.ts"
import type { NameLocks } from "../conversations/store/nameLocks.ts"
import { makeKeyedWorker, type Step } from "../conversations/turns/keyedWorker.ts"
import { makePlaces, type Places } from "../conversations/turns/places.ts"
import { recoverTurn, reopenTurn } from "../conversations/turns/turnEntry.ts"
import { turnById } from "../conversations/turns/turnRows.ts"
import { makeEventWriter } from "./eventLog.ts"
import { makeLiveSessions } from "./liveSessions.ts"
import { isToBeTried, type PerformOptions, performTurn } from "./performTurn.ts"
import { firstOf, keepOpen, leaveInterrupted, openHere, putEnd, type Waiting } from "./queue.ts"
import { storedParamsOf } from "./storedParams.ts"

interface QueuesOptions extends Omit<PerformOptions, "live" | "places" | "leaving"> {
  /** Limit of conversations with an open agent. */
  readonly most: number
  /** Locks of turns; a held lock means that a process works on the turn. */
  readonly turns: NameLocks
}

/** Names the queue of a turn: that of its conversation, or its own without one. */
type QueueKey = Pick<Waiting, "cli" | "conversation" | "turnId">

const keyOf = ({ cli, conversation, turnId }: QueueKey): QueueKey =>
  conversation === "" ? { cli, conversation, turnId } : { cli, conversation, turnId: "" }

const empty: Step = { _tag: "Empty" }
const again: Step = { _tag: "Again" }
/** Between attempts of a turn that could not start. */
const later: Step = { _tag: "Wait", ms: 1_000 }

export const makeConversationQueues = Effect.fn(...untraced("ConversationQueues.makeConversationQueues"))(function* (
  options: QueuesOptions
) {
  const { store, turns } = options
  const places: Places = yield* makePlaces(options.most, (lane) => live.close(lane))
  const live = yield* makeLiveSessions(places)
  const aborts = new Map<string, AbortController>()
  /** Turns that have their place. */
  const begun = new Set<string>()
  const leaving = Latch.makeUnsafe(false)

  /** Recovers a turn whose process died. Returns false if it is not to be performed now. */
  const takeUp = Effect.fn(...untraced("ConversationQueues.takeUp"))(function* (turn: Waiting) {
    if (turn.state === "queued" || turn.state === "interrupted") return true
    if (yield* turns.isTaken(turn.turnId)) return false
    const found = (yield* turnById(store, turn.turnId)) ?? turn
    const recovered = yield* recoverTurn(store, found)
    if (recovered?.state === "queued") return true
    const onInterrupted = storedParamsOf(turn.params)?.onInterrupted ?? "fail"
    if (recovered?.state === "interrupted" && onInterrupted !== "fail") {
      yield* keepOpen(store, turn.turnId)
      return true
    }
    // A following caller reads the end from the row.
    if (storedParamsOf(turn.params)?.isFollowed === true)
      yield* Effect.scoped(Effect.flatMap(makeEventWriter(store, turn.turnId), ({ end }) => end(true)))
    return false
  })

  const perform = Effect.fn(...untraced("ConversationQueues.perform"))(function* (turn: Waiting) {
    const abort = new AbortController()
    aborts.set(turn.turnId, abort)
    if (turn.isStopped) abort.abort()
    const end = yield* Effect.ensuring(
      performTurn({ ...options, live, places, leaving: leaving.await }, turn, abort.signal, () =>
        begun.add(turn.turnId)
      ),
      Effect.sync(() => {
        aborts.delete(turn.turnId)
        begun.delete(turn.turnId)
      })
    )
    // The home has aborted it, not its caller.
    if (leaving.isOpen() && abort.signal.aborted && !turn.isStopped) {
      yield* reopenTurn(store, turn.turnId)
      return empty
    }
    if (leaving.isOpen() && end?.failure !== undefined) return empty
    // The store was down before the start: the turn keeps its place.
    if (isToBeTried(end)) return later
    if (end !== undefined) yield* putEnd(store, turn.turnId, end)
    yield* leaveInterrupted(store, turn.turnId, end)
    return again
  })

  const { wake, over, allOver } = yield* makeKeyedWorker(
    Effect.fnUntraced(function* ({ cli, conversation, turnId }: QueueKey): Effect.fn.Return<Step, StoreError> {
      if (leaving.isOpen()) return empty
      const turn = yield* firstOf(store, cli, conversation, turnId)
      if (turn === undefined) return empty
      if (yield* takeUp(turn)) return yield* perform(turn)
      const now = yield* turnById(store, turn.turnId)
      // Another process of this home works on it.
      return now?.state === "claimed" || now?.state === "spawned" ? empty : again
    })
  )

  /** Polls the store: starts pending turns, and stops cancelled ones. */
  const look = Effect.gen(function* () {
    const open = yield* openHere(store)
    const mine = new Map(open.map((turn) => [turn.turnId, turn]))
    for (const [turnId, abort] of aborts) {
      const turn = mine.get(turnId)
      if (turn?.isStopped === true) abort.abort()
      // Given up by another process: its outcome is discarded.
      if (turn === undefined && (yield* turnById(store, turnId))?.isGivenUp === true) abort.abort()
    }
    for (const turn of open) yield* wake(keyOf(turn))
  })

  return {
    live,
    look,
    wake: (turn: QueueKey) => wake(keyOf(turn)),
    /** Completes when the conversation has no turn that can be performed now. */
    over: (turn: QueueKey) => over(keyOf(turn)),
    interrupt: (turnId: string) =>
      Effect.sync(() => {
        const abort = aborts.get(turnId)
        abort?.abort()
        return abort !== undefined
      }),
    running: () => [...begun],
    /** Starts no more turns. Completes when the running ones have ended. */
    leave: Effect.andThen(leaving.open, allOver),
    cut: Effect.sync(() => {
      for (const abort of aborts.values()) abort.abort()
    })
  }
})
export type ConversationQueues = Effect.Success<ReturnType<typeof makeConversationQueues>>
