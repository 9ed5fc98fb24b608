/**
 * The event stream of a reader: rows of one conversation by number, and changes of the list. Frames are made on demand; about
 * a megabyte waits for a slow reader. The stream ends when its person loses access.
 */
import { Array as Arr, Cause, Clock, Effect, Stream } from "effect"
import { heartbeat, headers as ofEvents } from "../../../agents/feed/eventLog.ts"
import type { StoreError } from "../../../contract/StoreError.ts"
import { monotonicMillis } from "../../../system/hostClock.ts"
import type { Target } from "../routing.ts"
import { Hub, type Reader } from "../rows/hub.ts"
import type { PageRow } from "../rows/rowTable.ts"
import { PageState } from "../state.ts"
import type { WebPerson } from "../WebChatOptions.ts"
import { usual } from "./respond.ts"

const heartbeatMs = 15_000
/** Least time between two lists. */
const stateMs = 500
const newestTurns = 200
/** Size of the rows that are prepared at once. */
const mostCharacters = 1_000_000
/** Interval of access checks. */
const allowedMs = 15_000

/** The first rows, up to the bound, and at least one. */
const bounded = (rows: ReadonlyArray<PageRow>): ReadonlyArray<PageRow> => {
  let characters = 0
  const end = rows.findIndex(({ json }) => {
    characters += json.length
    return characters > mostCharacters
  })
  return end < 0 ? rows : rows.slice(0, Math.max(1, end))
}

/** Escapes characters that some clients take for line ends. */
const oneLine = (json: string) =>
  json.replaceAll("\u0085", "\\u0085").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

const named = (event: string, json: string) => `event: ${event}\ndata: ${oneLine(json)}\n\n`
const rowFrame = ({ id, json }: PageRow) => `id: ${id}\ndata: ${oneLine(json)}\n\n`

export interface Asking {
  readonly person: WebPerson
  /** The conversation; undefined for the list alone. */
  readonly reached: Pick<Target, "chat" | "table"> | undefined
  /** The reader's position; undefined for the beginning. */
  readonly after: number | undefined
  readonly isAllowed: Effect.Effect<boolean>
  /** Joined already; leaves when the stream ends. */
  readonly reader: Reader
}

export const eventHeaders = { ...usual, ...ofEvents, "cache-control": "no-store, no-transform" } as const

export const makeEvents = Effect.gen(function* () {
  const [state, hub] = [yield* PageState, yield* Hub]
  return ({ person, reached, after, isAllowed, reader }: Asking) => {
    /** The start of the stream. A number beyond the newest row is of another store. */
    const begin = Effect.gen(function* () {
      if (reached === undefined) return { position: 0, first: 0, newest: 0, oldest: 0 }
      const { chat, table } = reached
      const { oldest: first, newest } = yield* table.ends(chat)
      if (after !== undefined && after <= newest) return { position: after, first, newest, oldest: after + 1 }
      const position = yield* table.beforeNewest(chat, newestTurns)
      return { position, first, newest, oldest: Math.max(first, position + 1) }
    })

    const framesFrom = (openedAt: number): Stream.Stream<string, StoreError> => {
      let position: number | undefined
      let listedAt: number | undefined
      let allowedAt = openedAt
      const hello = Effect.gen(function* () {
        const { position: from, ...ends } = yield* begin
        position = from
        const now = yield* Clock.currentTimeMillis
        return Arr.of(named("hello", JSON.stringify({ now, ...ends })))
      })
      const list = Effect.gen(function* () {
        reader.isStale = false
        listedAt = yield* monotonicMillis
        return Arr.of(named("state", yield* state.json(person)))
      })
      const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<string>, StoreError | Cause.Done> = Effect.suspend(() =>
        position === undefined ? hello : pullAt(position)
      )
      const pullAt = Effect.fnUntraced(function* (
        from: number
      ): Effect.fn.Return<Arr.NonEmptyReadonlyArray<string>, StoreError | Cause.Done> {
        reader.latch.closeUnsafe()
        if (hub.isClosed()) return yield* Cause.done()
        const now = yield* monotonicMillis
        if (now - allowedAt >= allowedMs) {
          if (!(yield* isAllowed)) return yield* Cause.done()
          allowedAt = now
        }
        const stateIn = reader.isStale ? (listedAt ?? now - stateMs) + stateMs - now : heartbeatMs
        if (reader.isStale && stateIn <= 0) return yield* list
        const rows = reached === undefined ? [] : bounded(yield* reached.table.after(reached.chat, from))
        position = rows.at(-1)?.id ?? from
        const frames = rows.map(rowFrame)
        if (Arr.isReadonlyArrayNonEmpty(frames)) return frames
        const allowedFor = allowedAt + allowedMs - now
        yield* Effect.timeoutOption(reader.latch.await, Math.max(1, Math.min(stateIn, heartbeatMs, allowedFor)))
        if (reader.isStale || reader.latch.isOpen()) return yield* pull
        return Arr.of(heartbeat)
      })
      return Stream.fromPull(Effect.succeed(pull))
    }

    // One by one, so that a stalled reader holds only a frame or two.
    return Stream.ensuring(
      Stream.rechunk(Stream.unwrap(Effect.map(monotonicMillis, framesFrom)), 1),
      Effect.sync(() => hub.leave(reader))
    )
  }
})
