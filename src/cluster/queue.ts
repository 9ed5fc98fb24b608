/** The queue of this home: its turns that are not over, and what their callers want of them. */
import { Clock, Effect } from "effect"
import { resultOfNothing } from "../agents/engine/result.ts"
import { TurnInterrupted } from "../contract/AgentError.ts"
import type { End } from "../contract/Start.ts"
import { countIn } from "../conversations/store/columns.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { endText } from "../conversations/turns/storedEnd.ts"
import { readable, type TurnRow } from "../conversations/turns/turnRows.ts"

/** In a look. */
const mostRows = 500

export interface Waiting extends TurnRow {
  /** Its caller wants it stopped. */
  readonly isStopped: boolean
}

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
    (rows) =>
      rows.flatMap((row) =>
        readable([row]).map((turn): Waiting => ({ ...turn, isStopped: countIn(row, "stop") === 1 }))
      )
  )

/** The first of a conversation; of a turn outside of conversations, itself. */
export const firstOf = ({ sql, read, home }: OpenStore, cli: string, conversation: string, turnId: string) =>
  Effect.map(
    read(sql<object>`select * from turns where for_home = ${home} and given_up = 0
      and ${conversation === "" ? sql`turn_id = ${turnId}` : sql`cli = ${cli} and conversation = ${conversation}`}
      and (state in ('queued', 'claimed', 'spawned') or (state = 'interrupted' and ended is null))
      order by seq limit 1`),
    ([row]): Waiting | undefined => {
      const [turn] = row === undefined ? [] : readable([row])
      return turn === undefined || row === undefined ? undefined : { ...turn, isStopped: countIn(row, "stop") === 1 }
    }
  )

/** The end of a turn of which nothing was started. */
export const putEnd = (store: OpenStore, turnId: string, end: End) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    store.transact(
      store.sql`update turns set state = 'done', result = ${endText(end) ?? null}, ended = ${now}
        where turn_id = ${turnId} and state in ('queued', 'claimed')`
    )
  )

/** The end of a turn whose work is unknown. */
export const interruptedEnd = (turnId: string): End => {
  const failure = new TurnInterrupted({ turnId })
  return { result: resultOfNothing(failure), failure, hadOutput: true }
}

/**
 * Ends an interrupted turn that was to continue, and of which nothing was started: its caller gets this end, and may
 * ask again.
 */
export const leaveInterrupted = (store: OpenStore, turnId: string, end: End = interruptedEnd(turnId)) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    store.transact(
      store.sql`update turns set ended = ${now}, result = ${endText(end) ?? null}
        where turn_id = ${turnId} and state = 'interrupted' and given_up = 0`
    )
  )

/** It was found to be interrupted, and is to go on: also after this home has died again. */
export const keepOpen = ({ sql, transact }: OpenStore, turnId: string) =>
  transact(sql`update turns set ended = null where turn_id = ${turnId} and state = 'interrupted'`)

/** The caller of a turn does not want it any more; its home looks once a second. */
export const wantStopped = ({ sql, transact }: OpenStore, turnId: string) =>
  transact(sql`update turns set stop = 1 where turn_id = ${turnId}`)
