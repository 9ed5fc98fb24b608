/**
 * The events of a turn, in the store, for its caller on another machine: in order, each with its position. The last row has
 * no event. They are kept for an hour: the transcript has them for longer.
 */
import { Array as Arr, type Cause, Clock, Effect, Fiber, Option, Queue, Result, Schema } from "effect"
import { AgentEvent } from "../contract/AgentEvent.ts"
import { eventJson } from "../contract/eventJson.ts"
import { imagesWithin } from "../contract/imagesWithin.ts"
import { boundedDepth } from "../contract/text/jsonLine.ts"
import { untraced } from "../contract/untraced.ts"
import { countIn, textIn } from "../conversations/store/columns.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"

const keptMs = 60 * 60_000
const atOnce = 256
/** A longer event goes without its images; one that is still longer is replaced by a notice. */
const mostCharacters = 4 * 1024 * 1024
/** Limit of unwritten characters; while the store takes nothing, further events are dropped. */
const mostWaiting = 32 * 1024 * 1024
const decode = Schema.decodeUnknownOption(AgentEvent)

const textOf = (event: AgentEvent) => {
  const whole = eventJson(event)
  const text = whole.length <= mostCharacters ? whole : eventJson(imagesWithin(event, 0))
  if (text.length <= mostCharacters) return text
  const message = `An event of ${text.length} characters (${event.type}) is not passed on to other machines`
  return eventJson({ type: "notice", kind: "warning", message, data: { characters: text.length } })
}

const leftOut: AgentEvent = {
  type: "notice",
  kind: "warning",
  message: "Events are left out here: the database does not take them as fast as they come"
}

const eventOf = (text: string): AgentEvent => {
  const raw: unknown = Result.getOrElse(
    Result.try((): unknown => JSON.parse(boundedDepth(text))),
    () => text
  )
  return Option.getOrElse(decode(raw), (): AgentEvent => ({ type: "unknown", raw }))
}

/** Writes events as fast as the store takes them, in batches. A batch that cannot be written is lost, and logged. */
export const makeEventWriter = Effect.fn(...untraced("EventLog.makeEventWriter"))(function* (
  store: OpenStore,
  turnId: string
) {
  const { sql, transact } = store
  const queue = yield* Queue.unbounded<string, Cause.Done>()
  let waiting = 0
  let isFull = false
  const [last = {}] = yield* Effect.orElseSucceed(
    store.read(sql<object>`select max(position) as position from turn_events where turn_id = ${turnId}`),
    () => []
  )
  let position = (countIn(last, "position") ?? -1) + 1
  const write = (texts: Arr.NonEmptyReadonlyArray<string>) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const rows = Arr.map(texts, (event, index) => ({ turn_id: turnId, position: position + index, event, at }))
      yield* transact(sql`insert into turn_events ${sql.insert(rows)} on conflict do nothing`)
    }).pipe(
      Effect.catch((error) => Effect.logWarning(`events of a turn are not passed on: ${error.message}`)),
      Effect.ensuring(
        Effect.sync(() => {
          position += texts.length
        })
      )
    )
  const writing = yield* Queue.takeBetween(queue, 1, atOnce).pipe(
    Effect.flatMap((texts) => {
      for (const text of texts) waiting -= text.length
      return Arr.isReadonlyArrayNonEmpty(texts) ? write(texts) : Effect.void
    }),
    Effect.forever,
    Effect.catchCause(() => Effect.void),
    Effect.forkScoped
  )
  const offer = (text: string) => {
    waiting += text.length
    Queue.offerUnsafe(queue, text)
  }
  return {
    push: (event: AgentEvent) => {
      if (waiting < mostWaiting) {
        isFull = false
        return offer(textOf(event))
      }
      if (!isFull) offer(eventJson(leftOut))
      isFull = true
    },
    /** Writes the rest; `isOver`: no more will come, also from another writer. Never fails. */
    end: Effect.fn(...untraced("EventLog.end"))(function* (isOver: boolean) {
      Queue.endUnsafe(queue)
      yield* Fiber.await(writing)
      if (isOver) yield* write([""])
    })
  }
})

export type EventWriter = Effect.Success<ReturnType<typeof makeEventWriter>>

/** The events from a position on, the position behind the last of them (`next`), and whether it was the last of all. */
export const readEvents = ({ sql, read }: OpenStore, turnId: string, from: number) =>
  Effect.map(
    read(sql<object>`select position, event from turn_events
      where turn_id = ${turnId} and position >= ${from} order by position limit ${atOnce}`),
    (rows) => {
      const texts = rows.map((row) => textIn(row, "event") ?? "")
      const last = rows.at(-1)
      return {
        events: texts.flatMap((text) => (text === "" ? [] : [eventOf(text)])),
        next: last === undefined ? from : (countIn(last, "position") ?? from) + 1,
        isOver: texts.includes("")
      }
    }
  )

export const removeOldEvents = (store: OpenStore) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    store.transact(store.sql`delete from turn_events where at < ${now - keptMs}`)
  )
