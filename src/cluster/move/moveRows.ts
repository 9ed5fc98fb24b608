/**
 * The rows of `session_moves`. Each step is one transaction that names the state it starts from: only one of two attempts
 * changes the row. While a move is packed, the session is at no home; then at one of the two.
 */
import { Effect } from "effect"
import { present } from "../../contract/present.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { onItsWay } from "../../conversations/turns/lookUp.ts"
import { sessionByKey } from "../../conversations/turns/sessionRows.ts"
import { notMoved } from "./packed.ts"
import type { Blob } from "./payload.ts"

const states = ["asked", "packed", "done", "failed"] as const
type MoveState = (typeof states)[number]

export interface Move {
  readonly id: string
  readonly sessionKey: string
  readonly from: string
  readonly to: string
  /** The working directory at the new home. */
  readonly directory: string
  readonly state: MoveState
  /** The reason of a failure, or of a wait. */
  readonly problem?: string
  /** The list of its files; absent before they are packed, and once nothing is left to clean up. */
  readonly payload?: string
  /** Time of the request, in ms since 1970, like `at`. */
  readonly asked: number
  /** Time of the last work on it. */
  readonly at: number
}

/** Returns undefined for a row that this version cannot read. */
const moveOfRow = (row: object): Move | undefined => {
  const [id, sessionKey, directory] = ["id", "session_key", "directory"].map((name) => textIn(row, name))
  const [from, to, state] = [textIn(row, "from_home"), textIn(row, "to_home"), wordIn(row, "state", states)]
  const [requestedAt, at] = [countIn(row, "asked"), countIn(row, "at")]
  if (id === undefined || sessionKey === undefined || directory === undefined) return undefined
  if (from === undefined || to === undefined || state === undefined) return undefined
  if (requestedAt === undefined || at === undefined) return undefined
  const more = present({ problem: textIn(row, "problem"), payload: textIn(row, "payload") })
  return { id, sessionKey, from, to, directory, state, asked: requestedAt, at, ...more }
}

const readable = (rows: ReadonlyArray<object>) => rows.flatMap((row) => moveOfRow(row) ?? [])

const mostAtOnce = 16
/** Lifetime of failed moves: by then the caller has seen them. */
const keptMs = 86_400_000

/** Open moves of this home. A departed session returns if the move was untouched since `abandoned`. */
export const movesToDo = ({ sql, read, home }: OpenStore, abandoned: number) =>
  read(
    Effect.map(
      sql<object>`select * from session_moves
        where (from_home = ${home} and (state = 'asked' or (state = 'packed' and at < ${abandoned})))
        or (to_home = ${home} and (state = 'packed' or payload is not null)) order by asked limit ${mostAtOnce}`,
      readable
    )
  )

export const moveById = ({ sql, read }: OpenStore, id: string) =>
  read(Effect.map(sql<object>`select * from session_moves where id = ${id}`, (rows) => readable(rows)[0]))

/** Returns false if another move of the session is open, or it is no longer at that home. */
export const addMove = (
  { sql, transact }: OpenStore,
  { id, sessionKey, from, to, directory }: Pick<Move, "id" | "sessionKey" | "from" | "to" | "directory">,
  now: number
) =>
  transact(
    Effect.gen(function* () {
      const open = yield* sql`select 1 as found from session_moves
        where session_key = ${sessionKey} and state in ('asked', 'packed')`
      const here = yield* sql`select 1 as found from sessions where key = ${sessionKey} and home = ${from}`
      if (open.length > 0 || here.length === 0) return false
      // A done move stays as long as its session: it says that the old home has no part in it.
      yield* sql`delete from session_moves where at < ${now - keptMs} and payload is null
        and (state = 'failed' or (state = 'done' and session_key not in (select key from sessions)))`
      const row = { id, session_key: sessionKey, from_home: from, to_home: to, directory, state: "asked" }
      yield* sql`insert into session_moves ${sql.insert({ ...row, asked: now, at: now })}`
      return true
    })
  )

/** Records work on it, or the reason for a wait. */
export const touchMove = ({ sql, transact }: OpenStore, { id, state }: Move, waitsFor: string | null, now: number) =>
  transact(sql`update session_moves set at = ${now}, problem = ${waitsFor} where id = ${id} and state = ${state}`)

/** Replaces the blobs of an earlier attempt. */
export const writeBlobs = ({ sql, transact }: OpenStore, { id }: Move, blobs: ReadonlyArray<Blob>, now: number) =>
  Effect.andThen(
    removeBlobs({ sql, transact }, id),
    Effect.forEach(
      blobs,
      ({ hash, bytes }) => transact(sql`insert into blobs ${sql.insert({ hash, bytes, created: now })}`),
      { discard: true }
    )
  )

export const removeBlobs = ({ sql, transact }: Pick<OpenStore, "sql" | "transact">, id: string) =>
  transact(sql`delete from blobs where substr(hash, 1, ${id.length + 1}) = ${`${id}:`}`)

export const blobOf = ({ sql, read }: OpenStore, hash: string) =>
  read(
    Effect.map(sql<{ readonly bytes: unknown }>`select bytes from blobs where hash = ${hash}`, ([row]) =>
      row?.bytes instanceof Uint8Array ? row.bytes : undefined
    )
  )

export const gone = notMoved("the session was moved or forgotten meanwhile")

/** Asked → packed: from now on the session is at no home. Returns false if the move is over. */
export const markPacked = ({ sql, transact }: OpenStore, move: Move, payload: string, now: number) =>
  transact(
    Effect.gen(function* () {
      const { id, sessionKey, from, to } = move
      const moved =
        yield* sql`update session_moves set state = 'packed', payload = ${payload}, problem = null, at = ${now}
        where id = ${id} and state = 'asked' returning id`
      if (moved.length === 0) return false
      const left = yield* sql`update sessions set home = ${onItsWay(to)}
        where key = ${sessionKey} and home = ${from} returning key`
      return left.length === 1 ? true : yield* gone
    })
  )

/** Packed → done: from now on the session is at its new home. Returns false if the move is over. */
export const markDone = (store: OpenStore, { id, sessionKey, to, directory }: Move, now: number) => {
  const { sql, transact } = store
  return transact(
    Effect.gen(function* () {
      const moved = yield* sql`update session_moves set state = 'done', problem = null, at = ${now}
        where id = ${id} and state = 'packed' returning id`
      if (moved.length === 0) return false
      const session = yield* sessionByKey(store, sessionKey)
      if (session === undefined || session.home !== onItsWay(to)) return yield* gone
      const other = yield* sql`select 1 as found from sessions
        where home = ${to} and cli = ${session.cli} and session_id = ${session.sessionId}`
      if (other.length > 0) return yield* notMoved("the home knows a session of this id already")
      yield* sql`update sessions set home = ${to}, directory = ${directory} where key = ${sessionKey}`
      yield* removeBlobs(store, id)
      return true
    })
  )
}

/** Open → failed: the session is at its old home. Returns false if the move is over. */
export const markFailed = (store: OpenStore, move: Move, problem: string, now: number) => {
  const { sql, transact } = store
  return transact(
    Effect.gen(function* () {
      const { id, sessionKey, from, to, state } = move
      const moved = yield* sql`update session_moves set state = 'failed', problem = ${problem}, at = ${now}
        where id = ${id} and state = ${state} and state in ('asked', 'packed') returning id`
      if (moved.length === 0) return false
      yield* sql`update sessions set home = ${from} where key = ${sessionKey} and home = ${onItsWay(to)}`
      yield* removeBlobs(store, id)
      return true
    })
  )
}

/** Nothing of a finished move is left to clean up. */
export const markTidy = ({ sql, transact }: OpenStore, { id }: Move) =>
  transact(sql`update session_moves set payload = null where id = ${id} and state in ('done', 'failed')`)
