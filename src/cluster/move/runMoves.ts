/** Does this home's part of the moves of sessions, for as long as it runs: those that leave, and those that arrive. */
import { Clock, Effect, FiberMap, Semaphore } from "effect"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { arrive } from "./arrive.ts"
import type { MovesOptions } from "./heldMove.ts"
import { leave } from "./leave.ts"
import { type Move, movesToDo } from "./moveRows.ts"

const betweenLooks = "1 second"
/** Each has all of a session in memory. */
const atOnce = 2

/** The other home has gone, and so has who asked: longer than anybody waits. */
const abandonedMs = 600_000

/** What this home has to do for a move, once. Fails where the store does; then it is done at the next look. */
export const performMove = (options: MovesOptions, move: Move) =>
  move.from === options.store.home ? leave(options, move) : arrive(options, move)

/** The moves for which this home has something to do. */
export const findMoves = (store: OpenStore) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => movesToDo(store, now - abandonedMs))

/**
 * Looks each second for moves from and to this home, and performs them. A failure becomes a part of the move; what the
 * store refuses is tried again. Killed at any point it goes on at its next start.
 */
export const runMoves = (options: MovesOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const running = yield* FiberMap.make<string, void>()
      const permits = yield* Semaphore.make(atOnce)
      const perform = (move: Move) =>
        Effect.catchCause(Effect.asVoid(permits.withPermit(performMove(options, move))), (cause) =>
          Effect.logWarning("a move of a session is tried again", cause)
        )
      const look = Effect.flatMap(findMoves(options.store), (moves) =>
        Effect.forEach(moves, (move) => FiberMap.run(running, move.id, perform(move), { onlyIfMissing: true }), {
          discard: true
        })
      )
      return yield* Effect.forever(
        Effect.andThen(
          Effect.catch(look, (error) => Effect.logDebug(`moves of sessions are looked for again: ${error.message}`)),
          Effect.sleep(betweenLooks)
        )
      )
    })
  )
