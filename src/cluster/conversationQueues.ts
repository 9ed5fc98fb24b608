/**
 * Performs the turns of this home: those of a conversation one after the other, by their numbers, for all callers and
 * announcements. The queue is in the store: a message, or a poll once a second, only wakes it.
 */
import { Effect, Fiber, Latch, type Scope } from "effect"
import type { NameLocks } from "../conversations/store/nameLocks.ts"
import { makePlaces, type Places } from "../conversations/turns/places.ts"
import { recoverTurn, reopenTurn } from "../conversations/turns/recoverTurn.ts"
import { turnById } from "../conversations/turns/turnRows.ts"
import { makeEventWriter } from "./eventLog.ts"
import { makeLiveSessions } from "./liveSessions.ts"
import { isToBeTried, laneOf, type PerformOptions, performTurn } from "./performTurn.ts"
import { firstOf, keepOpen, leaveInterrupted, openHere, putEnd, type Waiting } from "./queue.ts"
import { storedParamsOf } from "./storedParams.ts"

export interface QueuesOptions extends Omit<PerformOptions, "live" | "places" | "leaving"> {
  /** How many conversations may have an agent open at once. */
  readonly most: number
  /** Locks of turns; a held lock means that a process works on the turn. */
  readonly turns: NameLocks
}

/** Between tries of a turn that could not be begun. */
const again = "1 second"

export const makeConversationQueues = Effect.fnUntraced(function* (options: QueuesOptions) {
  const { store, turns } = options
  const scope: Scope.Scope = yield* Effect.scope
  const places: Places = yield* makePlaces(options.most, (lane) => live.close(lane))
  const live = yield* makeLiveSessions(places)
  const lanes = new Map<string, Fiber.Fiber<void>>()
  const atWork = new Map<string, AbortController>()
  /** Running turns. */
  const begun = new Set<string>()
  let isLeaving = false
  const leaving = Latch.makeUnsafe(false)

  /** Its host is dead: it waits again, or was interrupted. False: it is not to be performed now. */
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
    // A caller that follows it reads its row.
    if (storedParamsOf(turn.params)?.isFollowed === true)
      yield* Effect.scoped(Effect.flatMap(makeEventWriter(store, turn.turnId), ({ end }) => end(true)))
    return false
  })

  const perform = Effect.fnUntraced(function* (turn: Waiting) {
    const abort = new AbortController()
    atWork.set(turn.turnId, abort)
    if (turn.isStopped) abort.abort()
    const end = yield* Effect.ensuring(
      performTurn({ ...options, live, places, leaving: leaving.await }, turn, abort.signal, () =>
        begun.add(turn.turnId)
      ),
      Effect.sync(() => {
        atWork.delete(turn.turnId)
        begun.delete(turn.turnId)
      })
    )
    // A turn that the home itself has aborted was not cancelled by its caller.
    if (isLeaving && abort.signal.aborted && !turn.isStopped) return yield* reopenTurn(store, turn.turnId)
    if (isLeaving && end?.failure !== undefined) return
    // The store was away before anything was begun: the turn keeps its place.
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
          // Another process of this home has it in hand, or it was dealt with.
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
        // It may be over.
        if (fiber.pollUnsafe() === undefined) lanes.set(name, fiber)
      })
    })

  /** Looks into the store: what waits is begun, what is not wanted any more is stopped. */
  const look = Effect.gen(function* () {
    const open = yield* openHere(store)
    const mine = new Map(open.map((turn) => [turn.turnId, turn]))
    for (const [turnId, abort] of atWork) {
      const turn = mine.get(turnId)
      if (turn?.isStopped === true) abort.abort()
      // Given up by others: its outcome is discarded.
      if (turn === undefined && (yield* turnById(store, turnId))?.isGivenUp === true) abort.abort()
    }
    for (const turn of open) yield* wake(turn)
  })

  return {
    live,
    look,
    wake,
    /** Completes when nothing of the conversation is to be done, or it cannot be done now. */
    over: (cli: string, conversation: string, turnId: string) =>
      Effect.suspend(() => {
        const fiber = lanes.get(`${cli} ${laneOf({ conversation, turnId })}`)
        return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(fiber))
      }),
    /** Returns false if it is not running here. */
    interrupt: (turnId: string) =>
      Effect.sync(() => {
        const abort = atWork.get(turnId)
        abort?.abort()
        return abort !== undefined
      }),
    running: () => [...begun],
    /** Nothing new is begun; what is at work goes on. Completes when nothing is. */
    leave: Effect.suspend(() => {
      isLeaving = true
      leaving.openUnsafe()
      return Effect.forEach([...lanes.values()], Fiber.await, { discard: true, concurrency: "unbounded" })
    }),
    /** Cuts off what is still at work. */
    cut: Effect.sync(() => {
      for (const abort of atWork.values()) abort.abort()
    })
  }
})
export type ConversationQueues = Effect.Success<ReturnType<typeof makeConversationQueues>>
