/** Performs this home's part of the moves of sessions, from and to it. */
import { accessSync, constants, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import { Clock, Effect, FiberMap, Semaphore } from "effect"
import { clis } from "../../cli/clis.ts"
import { untraced } from "../../contract/untraced.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { type SessionRow, sessionByKey } from "../../conversations/turns/sessionRows.ts"
import { homeOf } from "../../system/process/homeDirectory.ts"
import { type MovesOptions, whileHeld } from "./heldMove.ts"
import {
  blobOf,
  gone,
  type Move,
  markDone,
  markFailed,
  markPacked,
  markTidy,
  moveById,
  movesToDo,
  removeBlobs,
  writeBlobs
} from "./moveRows.ts"
import { asNotMoved, exportSession, importSession, keepImported, removeImported } from "./opencodeProgram.ts"
import { type CliPlace, isMovable, type MovableCli, notMoved, type Packed } from "./packed.ts"
import { packFiles } from "./packFiles.ts"
import { blobName, decodePacked, encodePacked, type Manifest, readManifest } from "./payload.ts"
import { keepPlaced, placeFiles, takeBack } from "./placeFiles.ts"
import { exportName, problemOf, sessionFiles } from "./sessionFiles.ts"

interface UnpackOptions {
  readonly moveId: string
  readonly directory: string
  readonly place: CliPlace
}

const rootOf = async (cli: MovableCli, { env }: CliPlace) =>
  (await clis[cli].stored?.())?.home({ ...env, HOME: env["HOME"] || (homeOf(env) ?? "/") }) ?? ""

const isUsable = (directory: string) => {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK)
    return isAbsolute(directory) && statSync(directory).isDirectory()
  } catch {
    return false
  }
}

/** Packed files of another home → a session of this one. A failure may leave files behind: `undo` removes them. */
const unpack = Effect.fn(...untraced("RunMoves.unpack"))(function* (
  packed: Packed,
  { moveId, directory, place }: UnpackOptions
) {
  const { cli, sessionId, files } = packed
  if (!isUsable(directory)) {
    return yield* notMoved("the home has no such working directory: name one that it has with --cwd")
  }
  const root = yield* asNotMoved(() => rootOf(cli, place))
  if (cli === "opencode") {
    const bytes = files.find(({ path }) => path === exportName)?.bytes ?? new Uint8Array()
    return yield* importSession({ sessionId, place }, root, moveId, directory, bytes)
  }
  const { placed, roleOf } = sessionFiles[cli]
  const all = files.map(({ path, bytes }) => ({
    path: placed(path, directory),
    role: roleOf(path, sessionId) ?? "part",
    bytes
  }))
  yield* Effect.uninterruptible(asNotMoved(() => placeFiles(root, moveId, all)))
})

const placesOf = ({ cli, files }: Manifest, directory: string) =>
  files.map(({ path, size }) => ({ path: sessionFiles[cli].placed(path, directory), size }))

/** Removes the session that the move brought. */
const undo = Effect.fn(...untraced("RunMoves.undo"))(function* (
  manifest: Manifest,
  { moveId, directory, place }: UnpackOptions
) {
  const { cli, sessionId } = manifest
  const root = yield* asNotMoved(() => rootOf(cli, place))
  if (cli === "opencode") return yield* removeImported({ sessionId, place }, root, moveId)
  yield* Effect.uninterruptible(asNotMoved(() => takeBack(root, moveId, placesOf(manifest, directory))))
})

/** Removes the means to undo the move: it is done. */
const keep = Effect.fn(...untraced("RunMoves.keep"))(function* (
  manifest: Manifest,
  { moveId, directory, place }: UnpackOptions
) {
  const { cli } = manifest
  const root = yield* asNotMoved(() => rootOf(cli, place))
  if (cli === "opencode") return yield* keepImported(root, moveId)
  yield* asNotMoved(() => keepPlaced(root, moveId, placesOf(manifest, directory)))
})

const damaged = notMoved("what was packed cannot be read: it is damaged, or from a newer version")

const manifestOf = ({ payload }: Move) => (payload === undefined ? undefined : readManifest(payload))
const placeOf = (options: MovesOptions, { id, directory }: Move) => ({ moveId: id, directory, place: options })

const unpacking = Effect.fn(...untraced("RunMoves.unpacking"))(function* (
  options: MovesOptions,
  move: Move,
  session: SessionRow
) {
  const { store } = options
  // Another process of this home may have done it, or the caller has given it up.
  if ((yield* moveById(store, move.id))?.state !== "packed") return
  const manifest = manifestOf(move)
  if (manifest?.cli !== session.cli || manifest.sessionId !== session.sessionId) return yield* damaged
  const context = yield* Effect.context<never>()
  const blob = (digest: string) => Effect.runPromiseWith(context)(blobOf(store, blobName(move.id, digest)))
  // An unreadable store is not damage: the move is retried.
  const packed = yield* Effect.promise(() => decodePacked(manifest, blob))
  if (packed === undefined) return yield* damaged
  yield* unpack(packed, placeOf(options, move))
  yield* markDone(store, move, yield* Clock.currentTimeMillis)
})

const tidyUp = Effect.fn(...untraced("RunMoves.tidyUp"))(function* (options: MovesOptions, id: string) {
  const { store } = options
  const move = yield* moveById(store, id)
  if (move?.payload === undefined || (move.state !== "done" && move.state !== "failed")) return
  const manifest = manifestOf(move)
  if (manifest !== undefined) {
    const tidying = move.state === "done" ? keep : undo
    // Files that cannot be removed stay, unused.
    yield* Effect.catchTag(tidying(manifest, placeOf(options, move)), "NotMoved", ({ problem }) =>
      Effect.logWarning(`what is left of a move of a session could not be removed: ${problem}`)
    )
  }
  yield* markTidy(store, move)
})

const arrive = Effect.fn(...untraced("RunMoves.arrive"))(function* (options: MovesOptions, move: Move) {
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

/** A session of this home → its package. The caller holds the session. */
const pack = Effect.fn(...untraced("RunMoves.pack"))(function* (
  cli: string,
  session: Omit<Packed, "cli" | "files">,
  place: CliPlace
) {
  if (!isMovable(cli)) return yield* notMoved("sessions of this CLI cannot be moved")
  const { sessionId, directory } = session
  const files =
    cli === "opencode"
      ? [yield* exportSession({ sessionId, place })]
      : yield* asNotMoved((signal) => packFiles({ cli, sessionId, directory, env: place.env }, signal))
  const packed: Packed = { cli, ...session, files }
  const sizes = files.map(({ path, bytes }) => ({ path, size: bytes.length }))
  const problem = problemOf({ ...packed, files: sizes })
  return problem === undefined ? packed : yield* notMoved(`the session ${problem}`)
})

/** By then the caller has left. */
const longestMs = 3_600_000

const packing = Effect.fn(...untraced("RunMoves.packing"))(function* (options: MovesOptions, move: Move) {
  const { store } = options
  // It may have changed before the session was held.
  const session = yield* sessionByKey(store, move.sessionKey)
  if (session === undefined || session.home !== move.from) return yield* gone
  const { cli, sessionId, directory = "", title, model } = session
  const packed = yield* pack(cli, { sessionId, directory, title, model }, options)
  const { manifest, blobs } = yield* Effect.promise(() => encodePacked(packed, move.id))
  const now = yield* Clock.currentTimeMillis
  yield* writeBlobs(store, move, blobs, now)
  if (!(yield* markPacked(store, move, manifest, now))) yield* removeBlobs(store, move.id)
})

const leave = Effect.fn(...untraced("RunMoves.leave"))(function* (options: MovesOptions, move: Move) {
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

const betweenLooks = "1 second"
/** Each move has a whole session in memory. */
const atOnce = 2

/** Longer than any caller waits: the other home and the caller have gone. */
const abandonedMs = 600_000

/** Performs this home's part of a move, once. Fails if the store does; then it is retried at the next poll. */
export const performMove = (options: MovesOptions, move: Move) =>
  move.from === options.store.home ? leave(options, move) : arrive(options, move)

export const findMoves = (store: OpenStore) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => movesToDo(store, now - abandonedMs))

/**
 * Polls each second for moves from and to this home, and performs them. A failure is stored with the move; after one of the
 * store it is retried. Killed at any point it continues at the next start.
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
