/** The rows of `turns` and `runs`, the queue. Steps name the state they start from, so of two processes one wins. */
import { hostname } from "node:os"
import { Effect } from "effect"
import { present } from "../../contract/present.ts"
import { untraced } from "../../contract/untraced.ts"
import { hostIdentity } from "../../system/process/host.ts"
import { countIn, textIn, wordIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"

/**
 * The life of a turn, as its row has it. What has been spawned is never begun again unasked: it may have changed files and
 * spent money.
 *
 * | from | step | to |
 * |---|---|---|
 * | queued | a run takes it | claimed |
 * | claimed | the process is about to be started | spawned |
 * | claimed | its host is dead | queued |
 * | spawned | the run has ended | done |
 * | spawned | the same turn goes on with another session | queued |
 * | spawned | its host is dead | interrupted |
 * | spawned | its home was given up by others | interrupted; a result that comes nevertheless is kept with it, as late |
 * | interrupted | the caller wants it, nevertheless, and its process is about to be started | spawned |
 */
export const turnStates = ["queued", "claimed", "spawned", "done", "interrupted"] as const
type TurnState = (typeof turnStates)[number]

export interface TurnRow {
  readonly turnId: string
  /** The text of its key; empty for a run outside of conversations. */
  readonly conversation: string
  readonly cli: string
  readonly seq: number
  readonly state: TurnState
  readonly runId?: string
  readonly sessionKey?: string
  readonly digest: string
  /** JSON; absent before its end, and when its texts are no longer kept. */
  readonly result?: string
  /** The home of its run, or the one that it is for. */
  readonly home?: string
  /** JSON, for a turn that another process performs. */
  readonly params?: string
  readonly prompt?: string
  /** Its home was given up while it ran; a result came late. */
  readonly isGivenUp?: true
}

/** Undefined for a row that this version cannot read. */
const turnOfRow = (row: object): TurnRow | undefined => {
  const [turnId, conversation] = [textIn(row, "turn_id"), textIn(row, "conversation")]
  const [cli, digest] = [textIn(row, "cli"), textIn(row, "digest")]
  const [seq, state] = [countIn(row, "seq"), wordIn(row, "state", turnStates)]
  if (turnId === undefined || conversation === undefined || cli === undefined) return undefined
  if (digest === undefined || seq === undefined || state === undefined) return undefined
  const [runId, sessionKey, result] = [textIn(row, "run_id"), textIn(row, "session_key"), textIn(row, "result")]
  const home = textIn(row, "home") ?? textIn(row, "for_home")
  const [params, prompt] = [textIn(row, "params"), textIn(row, "prompt")]
  const isGivenUp = countIn(row, "given_up") === 1 ? (true as const) : undefined
  const others = present({ runId, sessionKey, result, home, params, prompt, isGivenUp })
  return { turnId, conversation, cli, seq, state, digest, ...others }
}

export const readable = (rows: ReadonlyArray<object>) =>
  rows.flatMap((row) => {
    const turn = turnOfRow(row)
    return turn === undefined ? [] : [turn]
  })

export const turnById = ({ sql, read }: OpenStore, turnId: string) =>
  read(
    Effect.map(
      sql<object>`select t.*, r.home from turns t left join runs r on r.run_id = t.run_id where t.turn_id = ${turnId}`,
      (rows): TurnRow | undefined => readable(rows)[0]
    )
  )

/** Open turns of a conversation, oldest first. */
export const openTurns = ({ sql, read }: OpenStore, conversation: string) =>
  read(
    Effect.map(
      sql<object>`select t.*, r.home from turns t left join runs r on r.run_id = t.run_id
        where t.conversation = ${conversation} and t.state in ('queued', 'claimed', 'spawned') order by t.seq`,
      readable
    )
  )

export interface NewTurn {
  readonly turnId: string
  readonly conversation: string
  readonly cli: string
  readonly prompt: string
  readonly digest: string
  /** For a turn of another home: that home, and the parameters as JSON. */
  readonly forHome?: string
  readonly params?: string
}

/** Appends it to its conversation. */
export const enqueueTurn = (
  { sql, transact }: OpenStore,
  { turnId, conversation, cli, prompt, digest, forHome, params }: NewTurn,
  now: number
) =>
  transact(
    Effect.gen(function* () {
      // Outside of conversations it is only a number: one index lookup, however many there are.
      const [last = {}] = yield* conversation === ""
        ? sql<object>`select max(seq) as seq from turns where conversation = '' and cli = ${cli}`
        : sql<object>`select max(seq) as seq from turns where conversation = ${conversation}`
      const seq = (countIn(last, "seq") ?? 0) + 1
      const row = { turn_id: turnId, conversation, cli, seq, state: "queued", prompt, digest, created: now }
      const others = forHome === undefined ? {} : { for_home: forHome, params: params ?? null }
      yield* sql`insert into turns ${sql.insert({ ...row, ...others })}`
    })
  )

const hasChanged = (rows: ReadonlyArray<unknown>) => rows.length > 0

/** Returns false if another run has taken the turn. An interrupted one stays interrupted until it is spawned. */
export const claimTurn = Effect.fn(...untraced("TurnRows.claimTurn"))(function* (
  { sql, transact, home }: OpenStore,
  { turnId, runId, cli }: { readonly turnId: string; readonly runId: string; readonly cli: string },
  now: number
) {
  const host = yield* hostIdentity
  return yield* transact(
    Effect.gen(function* () {
      const claimed = yield* sql`update turns set run_id = ${runId}, claimed = ${now}, ended = null,
        state = case when state = 'queued' then 'claimed' else state end
        where turn_id = ${turnId} and state in ('queued', 'interrupted') returning turn_id`
      if (!hasChanged(claimed)) return false
      const run = {
        run_id: runId,
        turn_id: turnId,
        cli,
        started: now,
        home,
        host: hostname(),
        realm: host.realm ?? null,
        pid: host.pid,
        process_start: host.start ?? null
      }
      yield* sql`insert into runs ${sql.insert(run)}`
      return true
    })
  )
})

/** By its key: `turns` has no index of runs, and a scan would collide with all other turns. */
const ofRun = ({ sql }: OpenStore, runId: string) =>
  sql`turn_id = (select turn_id from runs where run_id = ${runId}) and run_id = ${runId}`

/** Just before the process starts or the first line of a turn is written. If false, it must not start. */
export const spawnTurn = (store: OpenStore, runId: string) =>
  store.transact(
    Effect.map(
      store.sql`update turns set state = 'spawned' where ${ofRun(store, runId)}
        and state in ('claimed', 'interrupted') returning turn_id`,
      hasChanged
    )
  )

/** Records the session of a run's turn. */
export const placeTurn = (store: OpenStore, runId: string, sessionKey: string) =>
  store.transact(
    Effect.gen(function* () {
      const { sql } = store
      yield* sql`update turns set session_key = ${sessionKey} where ${ofRun(store, runId)}`
      yield* sql`update runs set session_key = ${sessionKey} where run_id = ${runId}`
    })
  )

/** Orphans a turn of a dead host: releases it if it was not spawned, else marks it interrupted. */
export const orphanTurn = ({ sql, transact }: OpenStore, { turnId, runId, state }: TurnRow, now: number) =>
  transact(
    Effect.gen(function* () {
      if (state === "claimed") {
        yield* sql`update turns set state = 'queued', run_id = null, claimed = null
          where turn_id = ${turnId} and state = 'claimed' and run_id = ${runId ?? ""}`
      }
      if (state === "spawned") {
        yield* sql`update turns set state = 'interrupted', ended = ${now}
          where turn_id = ${turnId} and state = 'spawned' and run_id = ${runId ?? ""}`
      }
      yield* sql`update runs set ended = ${now}, outcome = 'lost' where run_id = ${runId ?? ""} and ended is null`
    })
  )

/** Returns another process's turn to the queue, if nothing was started. */
export const releaseTurn = ({ sql, transact }: OpenStore, turnId: string) =>
  transact(
    Effect.gen(function* () {
      yield* sql`delete from runs where ended is null and run_id in
        (select run_id from turns where turn_id = ${turnId} and state = 'claimed')`
      yield* sql`update turns set state = 'queued', run_id = null, claimed = null
        where turn_id = ${turnId} and state = 'claimed'`
    })
  )

export const forgetTurn = ({ sql, transact }: OpenStore, turnId: string) =>
  transact(
    Effect.gen(function* () {
      const gone = yield* sql`delete from turns where turn_id = ${turnId} and state in ('queued', 'claimed')
        returning turn_id`
      if (hasChanged(gone)) yield* sql`delete from runs where turn_id = ${turnId}`
    })
  )
