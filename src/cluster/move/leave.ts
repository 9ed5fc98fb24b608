/** At the home that a session leaves: it is held, packed, and from then on at no home. One that nobody took up comes back. */
import { Clock, Effect } from "effect"
import { sessionByKey } from "../../conversations/turns/sessionRows.ts"
import { type MovesOptions, whileHeld } from "./heldMove.ts"
import { type Move, markFailed, markPacked, removeBlobs, writeBlobs } from "./moveRows.ts"
import { pack } from "./pack.ts"
import { notMoved } from "./packed.ts"
import { encodePacked } from "./payload.ts"

/** Who asked has gone since. */
const longestMs = 3_600_000

const packing = Effect.fnUntraced(function* (options: MovesOptions, move: Move) {
  const { store } = options
  // It may be another one than before the session was held.
  const session = yield* sessionByKey(store, move.sessionKey)
  if (session === undefined || session.home !== move.from) {
    return yield* notMoved("the session was moved or forgotten meanwhile")
  }
  const { cli, sessionId, directory = "", title, model } = session
  const packed = yield* pack({ cli, sessionId, directory, title, model }, options)
  const { manifest, blobs } = yield* Effect.promise(() => encodePacked(packed, move.id))
  const now = yield* Clock.currentTimeMillis
  yield* writeBlobs(store, move, blobs, now)
  if (!(yield* markPacked(store, move, manifest, now))) yield* removeBlobs(store, move.id)
})

export const leave = Effect.fnUntraced(function* (options: MovesOptions, move: Move) {
  const { store } = options
  const now = yield* Clock.currentTimeMillis
  const work = Effect.gen(function* () {
    const session = yield* sessionByKey(store, move.sessionKey)
    if (session === undefined) return yield* notMoved("the session was forgotten meanwhile")
    if (move.state === "packed") return yield* notMoved("the other home did not take it up")
    if (now - move.asked > longestMs) return yield* notMoved("the home was not there for an hour")
    yield* whileHeld(store, move, session, packing(options, move))
  })
  yield* Effect.catchTag(work, "NotMoved", ({ problem }) => markFailed(store, move, problem, now))
})
