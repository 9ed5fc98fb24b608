/** Requests a move of a session, which the homes perform, and waits for its end. */
import { isAbsolute, resolve } from "node:path"
import { Clock, Context, Effect } from "effect"
import { InvalidParams, SessionBusy } from "../../contract/AgentError.ts"
import { StoreError, UnknownSession } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { textIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { homeName } from "../../conversations/turns/lookUp.ts"
import { sessionByKey } from "../../conversations/turns/sessionRows.ts"
import { CannotBeMoved, HomeDown, MoveFailed, MoveOpen, NotShared, SameHome, UnknownHome } from "./moveErrors.ts"
import { addMove, type Move, markFailed, moveById } from "./moveRows.ts"
import { isMovable, limits } from "./packed.ts"

const form = /^[a-z0-9][a-z0-9-]{0,62}-[0-9a-f]{12}$/

/** Finds a home of the cluster by its name, or any home by its id. */
const homeIdOf = Effect.fn(...untraced("RequestMove.homeIdOf"))(function* ({ sql, read }: OpenStore, name: string) {
  const [row = {}] = yield* read(sql<object>`select id from cluster_homes where name = ${name} and state <> 'removed'`)
  const id = textIn(row, "id") ?? (form.test(name) ? name : undefined)
  return id ?? (yield* new UnknownHome({ home: name.slice(0, 200) }))
})

export interface MoveRequest {
  readonly store: OpenStore
  /** The id of the session in the store. */
  readonly id: string
  /** The name of the new home. */
  readonly to: string
  /** Its working directory there. Default: the same path. */
  readonly directory?: string | undefined
  /** Called with each step, and with the reason of a wait. */
  readonly onProgress?: ((words: string) => Effect.Effect<void>) | undefined
}

const betweenLooks = "250 millis"

/** Time limits: without a sign of the home that has to act, and in all. Shorter in tests. */
export const MovePatience = Context.Reference("reins/MovePatience", {
  defaultValue: () => ({ silentMs: 30_000, longestMs: 300_000 })
})

const invalid = (problem: string) =>
  new StoreError({ reason: new InvalidParams({ option: "workingDirectory", problem }) })

/** Adds the move, and returns the CLI's own id of the session. */
const addRequest = Effect.fn(...untraced("RequestMove.addRequest"))(function* (
  { store, id, to: name, directory: requested }: MoveRequest,
  moveId: string
) {
  if (store.kind !== "postgres") return yield* new NotShared({ place: store.place })
  const session = yield* sessionByKey(store, id)
  if (session === undefined) return yield* new StoreError({ reason: new UnknownSession({ session: id }) })
  const { home: from, cli, sessionId } = session
  if (!isMovable(cli)) return yield* new CannotBeMoved({ cli })
  const to = yield* homeIdOf(store, name)
  if (to === from) return yield* new SameHome({ home: name })
  const directory = requested ?? session.directory
  if (directory === undefined) return yield* invalid("is missing: that of the session is not known")
  if (!isAbsolute(directory)) return yield* invalid("is not an absolute path")
  if (directory.length > limits.directoryLength || /\p{Cc}/u.test(directory)) return yield* invalid("is not a path")
  const move = { id: moveId, sessionKey: id, from, to, directory: resolve(directory) }
  const isAdded = yield* addMove(store, move, yield* Clock.currentTimeMillis)
  return isAdded ? sessionId : yield* new MoveOpen({ session: sessionId })
})

const wordsOf = ({ state, problem }: Move, home: string) =>
  problem ?? (state === "asked" ? `${home} packs it` : `${home} unpacks it`)

const waitFor = Effect.fn(...untraced("RequestMove.waitFor"))(function* (
  { store, onProgress }: MoveRequest,
  { id, sessionId }: { readonly id: string; readonly sessionId: string }
) {
  const now = Clock.currentTimeMillis
  const { silentMs, longestMs } = yield* MovePatience
  const started = yield* now
  let last = { sign: "", at: started, words: "" }
  while (true) {
    const move = yield* moveById(store, id)
    if (move === undefined) return yield* new MoveFailed({ problem: "its row is gone" })
    if (move.state === "done") return move
    if (move.state === "failed")
      return yield* new MoveFailed({ problem: move.problem ?? "for a reason that is not known" })
    const at = yield* now
    const home = yield* homeName(store, move.state === "asked" ? move.from : move.to)
    const [sign, words] = [`${move.state} ${move.at}`, wordsOf(move, home)]
    if (words !== last.words) yield* onProgress?.(words) ?? Effect.void
    last = { sign, at: sign === last.sign ? last.at : at, words }
    const isSilent = at - last.at >= silentMs
    const waitedMs = at - started
    const reason = isSilent ? "a home did not answer" : "it took longer than five minutes"
    if ((isSilent || waitedMs >= longestMs) && (yield* markFailed(store, move, reason, at))) {
      if (isSilent) return yield* new HomeDown({ home })
      if (move.problem !== undefined) return yield* new SessionBusy({ what: "session", subject: sessionId, waitedMs })
      return yield* new MoveFailed({ problem: reason })
    }
    yield* Effect.sleep(betweenLooks)
  }
})

/** Gives up the move of a caller that left, unless a home has begun it. */
const giveUp = (store: OpenStore, id: string) =>
  Effect.gen(function* () {
    const move = yield* moveById(store, id)
    const now = yield* Clock.currentTimeMillis
    if (move?.state === "asked") yield* markFailed(store, move, "its caller has gone", now)
  }).pipe(Effect.ignore)

/** Returns the new home and the directory. Takes five minutes at most. Fails with `MoveError` or `StoreError`. */
export const requestMove = Effect.fn(...untraced("Cluster.requestMove"))(function* (request: MoveRequest) {
  const moveId = crypto.randomUUID()
  const requested = Effect.flatMap(addRequest(request, moveId), (sessionId) =>
    waitFor(request, { id: moveId, sessionId })
  )
  const { to, directory } = yield* Effect.onInterrupt(requested, () => giveUp(request.store, moveId))
  return { home: yield* homeName(request.store, to), directory }
})
