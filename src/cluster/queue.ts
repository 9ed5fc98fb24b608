/** The queue of this home: its open turns, and the requests of their callers. */
import { Clock, Effect } from "effect"
import { resultOfNothing } from "../agents/engine/result.ts"
import { type FailureReason, TurnInterrupted } from "../contract/AgentError.ts"
import type { End } from "../contract/Start.ts"
import { countIn } from "../conversations/store/columns.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { endText } from "../conversations/turns/storedEnd.ts"
import { readable, type TurnRow } from "../conversations/turns/turnRows.ts"

const mostRows = 500

export interface Waiting extends TurnRow {
  /** Whether its caller has cancelled it. */
  readonly isStopped: boolean
}

const waitingIn = (row: object): ReadonlyArray<Waiting> =>
  readable([row]).map((turn) => ({ ...turn, isStopped: countIn(row, "stop") === 1 }))

/**
 * The first open turn of each conversation: waiting, running, or to be retried; running ones come first. A long queue
 * of one conversation hides no other.
 */
export const openHere = ({ sql, read, home }: OpenStore) =>
  Effect.map(
    read(sql<object>`select * from (
        select turns.*, row_number() over (
          partition by cli, conversation, case when conversation = '' then turn_id else '' end order by seq
        ) as place
        from turns where for_home = ${home} and given_up = 0
        and (state in ('queued', 'claimed', 'spawned') or (state = 'interrupted' and ended is null))
      ) as open where place = 1
      order by case when state in ('claimed', 'spawned') then 0 else 1 end, created limit ${mostRows}`),
    (rows) => rows.flatMap(waitingIn)
  )

/** The first turn of a conversation, or the turn itself if it has none. */
export const firstOf = ({ sql, read, home }: OpenStore, cli: string, conversation: string, turnId: string) =>
  Effect.map(
    read(sql<object>`select * from turns where for_home = ${home} and given_up = 0
      and ${conversation === "" ? sql`turn_id = ${turnId}` : sql`cli = ${cli} and conversation = ${conversation}`}
      and (state in ('queued', 'claimed', 'spawned') or (state = 'interrupted' and ended is null))
      order by seq limit 1`),
    (rows) => rows.flatMap(waitingIn)[0]
  )

/** Ends a turn that has not started. */
export const putEnd = (store: OpenStore, turnId: string, end: End) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    store.transact(
      store.sql`update turns set state = 'done', result = ${endText(end) ?? null}, ended = ${now}
        where turn_id = ${turnId} and state in ('queued', 'claimed')`
    )
  )

/** The end of a turn that failed before its start. */
export const endOfNothing = (failure: FailureReason, hadOutput = false): End => ({
  result: resultOfNothing(failure),
  failure,
  hadOutput
})

/** The end of a turn whose work is unknown. */
export const interruptedEnd = (turnId: string): End => endOfNothing(new TurnInterrupted({ turnId }), true)

/** Ends an interrupted turn that was to continue, but did not start: its caller gets this end, and may retry. */
export const leaveInterrupted = (store: OpenStore, turnId: string, end: End = interruptedEnd(turnId)) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    store.transact(
      store.sql`update turns set ended = ${now}, result = ${endText(end) ?? null}
        where turn_id = ${turnId} and state = 'interrupted' and given_up = 0`
    )
  )

/** Lets an interrupted turn continue, also after this home has died again. */
export const keepOpen = ({ sql, transact }: OpenStore, turnId: string) =>
  transact(sql`update turns set ended = null where turn_id = ${turnId} and state = 'interrupted'`)

/** Requests cancellation; the home polls once a second. */
export const wantStopped = ({ sql, transact }: OpenStore, turnId: string) =>
  transact(sql`update turns set stop = 1 where turn_id = ${turnId}`)
