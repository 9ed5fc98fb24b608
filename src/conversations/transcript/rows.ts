/** Rows of `transcript`: positions count from 1 in each session, without gaps, over all runs and processes. */
import { Array as Arr, Effect } from "effect"
import { countIn, textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"

export interface NewRow {
  readonly runId: string
  /** In ms since 1970. */
  readonly at: number
  /** JSON. */
  readonly event: string
}

export interface TranscriptRow extends NewRow {
  readonly position: number
}

export const keyOfSession = ({ sql, read, home }: OpenStore, cli: string, sessionId: string) =>
  read(
    Effect.map(
      sql<object>`select key from sessions where home = ${home} and cli = ${cli} and session_id = ${sessionId}`,
      ([row]) => row && textIn(row, "key")
    )
  )

const lastPosition = ({ sql }: OpenStore, key: string) =>
  Effect.map(
    sql<object>`select max(position) as last from transcript where session_key = ${key}`,
    ([row]) => (row && countIn(row, "last")) ?? 0
  )

/** Returns the position before them; undefined if the session was forgotten. */
export const appendRows = (store: OpenStore, key: string, rows: Arr.NonEmptyReadonlyArray<NewRow>) =>
  store.transact(
    Effect.gen(function* () {
      const { sql } = store
      const known = yield* sql<object>`select key from sessions where key = ${key}`
      if (known.length === 0) return undefined
      const last = yield* lastPosition(store, key)
      const added = Arr.map(rows, ({ runId, at, event }, index) => ({
        session_key: key,
        position: last + index + 1,
        run_id: runId,
        at,
        event
      }))
      yield* sql`insert into transcript ${sql.insert(added)}`
      return last
    })
  )

/** A page has at most so many rows, and so many characters unless its first row alone has more. */
const pageRows = 500
const pageLength = 4 * 1024 * 1024

const rowOf = (row: object): TranscriptRow | undefined => {
  const [position, at] = [countIn(row, "position"), countIn(row, "at")]
  const [runId, event] = [textIn(row, "run_id"), textIn(row, "event")]
  if (position === undefined || at === undefined || runId === undefined || event === undefined) return undefined
  return { position, at, runId, event }
}

export const readPage = ({ sql, read }: OpenStore, key: string, after: number) =>
  read(
    Effect.gen(function* () {
      const sizes = yield* sql<object>`select position, length(event) as size from transcript
        where session_key = ${key} and position > ${after} order by position limit ${pageRows}`
      let length = 0
      let last: number | undefined
      for (const row of sizes) {
        length += countIn(row, "size") ?? 0
        if (last !== undefined && length > pageLength) break
        last = countIn(row, "position")
      }
      if (last === undefined) return []
      const rows = yield* sql<object>`select position, run_id, at, event from transcript
        where session_key = ${key} and position > ${after} and position <= ${last} order by position`
      return rows.flatMap((row) => rowOf(row) ?? [])
    })
  )

/** Whether a session can have further events, has some, or has a run that will give some. */
export const standingOf = ({ sql, read }: OpenStore, key: string) =>
  read(
    Effect.map(
      sql<object>`select s.state,
          (select min(position) from transcript t where t.session_key = s.key) as first,
          (select count(*) from runs r where r.session_key = s.key and r.ended is null) as runs
        from sessions s where s.key = ${key}`,
      ([row]) =>
        row && {
          mayGoOn: ["live", "quarantined"].includes(textIn(row, "state") ?? ""),
          hasEvents: countIn(row, "first") !== undefined,
          isRunning: (countIn(row, "runs") ?? 0) > 0
        }
    )
  )

const pruneStep = 500

const shorten = ({ sql, transact }: OpenStore, key: string) =>
  transact(
    Effect.map(
      sql`delete from transcript where session_key = ${key} and position <
          (select min(position) + ${pruneStep} from transcript where session_key = ${key}) returning position`,
      ({ length }) => length > 0
    )
  )

/** Removes the transcript of a session, a few rows at a time, so that other writers are not held up. */
export const removeTranscript = Effect.fnUntraced(function* (store: OpenStore, key: string) {
  while (yield* shorten(store, key)) yield* Effect.yieldNow
})

/** Removes the transcripts of all sessions but those used last. */
export const pruneTranscripts = Effect.fnUntraced(function* (store: OpenStore) {
  const { sql, read, keep } = store
  const old = yield* read(sql<object>`select s.key from sessions s
    where exists (select 1 from transcript t where t.session_key = s.key)
    order by s.used desc, s.key limit 1000 offset ${keep.transcripts}`)
  for (const row of old) {
    const key = textIn(row, "key")
    if (key !== undefined) yield* removeTranscript(store, key)
  }
})
