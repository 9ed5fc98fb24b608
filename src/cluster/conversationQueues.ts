/**
 * Performs the turns of this home: those of a conversation one after the other, by their numbers, for all callers and
 * announcements. The queue is in the store: a message, or a poll once a second, only wakes it.
 */
import { Effect, Fiber, Latch, type Scope } from "effect"
import type { NameLocks } from "../conversations/store/nameLocks.ts"
import { makePlaces, type Places } from "../conversations/turns/places.ts"
import { recoverTurn, reopenTurn } from "../conversations/turns/turnEntry.ts"
import { turnById } from "../conversations/turns/turnRows.ts"
import { makeEventWriter } from "./eventLog.ts"
import { makeLiveSessions } from "./liveSessions.ts"
import { isToBeTried, laneOf, type PerformOptions, performTurn } from "./performTurn.ts"
import { firstOf, keepOpen, leaveInterrupted, openHere, putEnd, type Waiting } from "./queue.ts"
import { storedParamsOf } from "./storedParams.ts"

interface QueuesOptions extends Omit<PerformOptions, "live" | "places" | "leaving"> {
  /** Limit of conversations with an open agent. */
  readonly most: number
  /** Locks of turns; a held lock means that a process works on the turn. */
  readonly turns: NameLocks
}

/** Between attempts of a turn that could not start. */
const again = "1 second"

export const makeConversationQueues = Effect.fnUntraced(function* (options: QueuesOptions) {
  const { store, turns } = options
  const scope: Scope.Scope = yield* Effect.scope
  const places: Places = yield* makePlaces(options.most, (lane) => live.close(lane))
  const live = yield* makeLiveSessions(places)
  const lanes = new Map<string, Fiber.Fiber<void>>()
  const aborts = new Map<string, AbortController>()
  /** Turns that have their place. */
  const begun = new Set<string>()
  let isLeaving = false
  const leaving = Latch.makeUnsafe(false)

  /** Recovers a turn whose process died. Returns false if it is not to be performed now. */
  const takeUp = Effect.fnUntraced(function* (turn: Waiting) {
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

  const perform = Effect.fnUntraced(function* (turn: Waiting) {
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
    if (isLeaving && abort.signal.aborted && !turn.isStopped) return yield* reopenTurn(store, turn.turnId)
    if (isLeaving && end?.failure !== undefined) return
    // The store was down before the start: the turn keeps its place.
    if (isToBeTried(end)) return yield* Effect.sleep(again)
    if (end !== undefined) yield* putEnd(store, turn.turnId, end)
    yield* leaveInterrupted(store, turn.turnId, end)
  })

  const lane = (cli: string, conversation: string, turnId: string) =>
    Effect.gen(function* () {
      while (!isLeaving) {
        const turn = yield* firstOf(store, cli, conversation, turnId)
        if (turn === undefined) return
        if (!(yield* takeUp(turn))) {
          const now = yield* turnById(store, turn.turnId)
          // Another process of this home works on it.
          if (now?.state === "claimed" || now?.state === "spawned") return
          continue
        }
        yield* perform(turn)
      }
    }).pipe(
      Effect.catch((error) => Effect.logWarning(`turns of a conversation wait: ${error.message}`)),
      Effect.catchDefect((defect) => Effect.logError("turns of a conversation wait", defect))
    )

  const wake = ({ cli, conversation, turnId }: Pick<Waiting, "cli" | "conversation" | "turnId">) =>
    Effect.suspend(() => {
      const name = `${cli} ${laneOf({ conversation, turnId })}`
      if (isLeaving || lanes.has(name)) return Effect.void
      const work = Effect.ensuring(
        lane(cli, conversation, turnId),
        Effect.sync(() => lanes.delete(name))
      )
      return Effect.map(Effect.forkIn(work, scope), (fiber) => {
        // The fiber may have ended already.
        if (fiber.pollUnsafe() === undefined) lanes.set(name, fiber)
      })
    })

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
    for (const turn of open) yield* wake(turn)
  })

  return {
    live,
    look,
    wake,
    /** Completes when the conversation has no turn that can be performed now. */
    over: (cli: string, conversation: string, turnId: string) =>
      Effect.suspend(() => {
        const fiber = lanes.get(`${cli} ${laneOf({ conversation, turnId })}`)
        return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(fiber))
      }),
    interrupt: (turnId: string) =>
      Effect.sync(() => {
        const abort = aborts.get(turnId)
        abort?.abort()
        return abort !== undefined
      }),
    running: () => [...begun],
    /** Starts no more turns. Completes when the running ones have ended. */
    leave: Effect.suspend(() => {
      isLeaving = true
      leaving.openUnsafe()
      return Effect.forEach([...lanes.values()], Fiber.await, { discard: true, concurrency: "unbounded" })
    }),
    cut: Effect.sync(() => {
      for (const abort of aborts.values()) abort.abort()
    })
  }
})
export type ConversationQueues = Effect.Success<ReturnType<typeof makeConversationQueues>>
