/**
 * The events of a turn, in the store, for its caller on another machine: in their order, each with its position. The last
 * row has no event. They are kept for an hour behind their time: the transcript has them for longer.
 */
import { Array as Arr, type Cause, Clock, Effect, Fiber, Option, Queue, Result, Schema } from "effect"
import { AgentEvent } from "../contract/AgentEvent.ts"
import { eventJson } from "../contract/eventJson.ts"
import { boundedDepth } from "../contract/text/boundedDepth.ts"
import { countIn, textIn } from "../conversations/store/columns.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"

const keptMs = 60 * 60_000
/** In a transaction. */
const atOnce = 256
/** A longer one is replaced by a notice. */
const mostCharacters = 4 * 1024 * 1024
/** Limit of unwritten events; while the store takes nothing, further ones are dropped. */
const mostWaiting = 32 * 1024 * 1024

const decode = Schema.decodeUnknownOption(AgentEvent)

const textOf = (event: AgentEvent) => {
  const text = eventJson(event)
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

export interface EventWriter {
  readonly push: (event: AgentEvent) => void
  /** Writes what is left; `isOver`: nothing more will come, also from another writer. Never fails. */
  readonly end: (isOver: boolean) => Effect.Effect<void>
}

/** Writes as fast as the store takes them, in pieces. What it does not take is lost, and said in the log. */
export const makeEventWriter = Effect.fnUntraced(function* (store: OpenStore, turnId: string) {
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
  const writer: EventWriter = {
    push: (event) => {
      if (waiting < mostWaiting) {
        isFull = false
        return offer(textOf(event))
      }
      if (!isFull) offer(eventJson(leftOut))
      isFull = true
    },
    end: Effect.fnUntraced(function* (isOver) {
      Queue.endUnsafe(queue)
      yield* Fiber.await(writing)
      if (isOver) yield* write([""])
    })
  }
  return writer
})

export interface EventPage {
  readonly events: ReadonlyArray<AgentEvent>
  /** The position behind the last of them. */
  readonly next: number
  readonly isOver: boolean
}

/** The next events, from a position on. */
export const readEvents = ({ sql, read }: OpenStore, turnId: string, from: number) =>
  Effect.map(
    read(sql<object>`select position, event from turn_events
      where turn_id = ${turnId} and position >= ${from} order by position limit ${atOnce}`),
    (rows): EventPage => {
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
