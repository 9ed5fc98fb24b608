/** At the home to which a session goes: it is unpacked, and from then on at this home; else nothing of it stays here. */
import { Clock, Effect } from "effect"
import { type SessionRow, sessionByKey } from "../../conversations/turns/sessionRows.ts"
import { type MovesOptions, whileHeld } from "./heldMove.ts"
import { blobOf, type Move, markDone, markFailed, markTidy, moveById } from "./moveRows.ts"
import { notMoved } from "./packed.ts"
import { blobName, decodePacked, type Manifest, readManifest } from "./payload.ts"
import { keep, undo, unpack } from "./unpack.ts"

const damaged = notMoved("what was packed cannot be read: it is damaged, or from a newer version")

const manifestOf = ({ payload }: Move) => (payload === undefined ? undefined : readManifest(payload))

const placeOf = (options: MovesOptions, { id, directory }: Move) => ({ moveId: id, directory, place: options })

const unpacking = Effect.fnUntraced(function* (options: MovesOptions, move: Move, session: SessionRow) {
  const { store } = options
  // Another process of this home may have done it, or who asked has given it up.
  if ((yield* moveById(store, move.id))?.state !== "packed") return
  const manifest = manifestOf(move)
  if (manifest?.cli !== session.cli || manifest.sessionId !== session.sessionId) return yield* damaged
  const context = yield* Effect.context<never>()
  const blob = (digest: string) => Effect.runPromiseWith(context)(blobOf(store, blobName(move.id, digest)))
  // A store that cannot be read is no damage: the move is taken up again.
  const packed = yield* Effect.promise(() => decodePacked(manifest, blob))
  if (packed === undefined) return yield* damaged
  yield* unpack(packed, placeOf(options, move))
  yield* markDone(store, move, yield* Clock.currentTimeMillis)
})

/** Of a move that is over. What cannot be removed stays: nobody uses it. */
const tidy = Effect.fnUntraced(function* (options: MovesOptions, move: Move, manifest: Manifest) {
  const tidying = move.state === "done" ? keep : undo
  yield* Effect.catchTag(tidying(manifest, placeOf(options, move)), "NotMoved", ({ problem }) =>
    Effect.logWarning(`what is left of a move of a session could not be removed: ${problem}`)
  )
})

/** One that is over, and leaves nothing behind. */
const tidyUp = Effect.fnUntraced(function* (options: MovesOptions, id: string) {
  const { store } = options
  const move = yield* moveById(store, id)
  if (move?.payload === undefined || (move.state !== "done" && move.state !== "failed")) return
  const manifest = manifestOf(move)
  if (manifest !== undefined) yield* tidy(options, move, manifest)
  yield* markTidy(store, move)
})

export const arrive = Effect.fnUntraced(function* (options: MovesOptions, move: Move) {
  const { store } = options
  if (move.state === "packed") {
    const work = Effect.gen(function* () {
      const session = yield* sessionByKey(store, move.sessionKey)
      if (session === undefined) return yield* notMoved("the session was forgotten meanwhile")
      const both = Effect.andThen(unpacking(options, move, session), tidyUp(options, move.id))
      yield* whileHeld(store, move, session, both)
    })
    yield* Effect.catchTag(work, "NotMoved", ({ problem }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => markFailed(store, move, problem, now))
    )
  }
  yield* tidyUp(options, move.id)
})
