/** Broadcasts the events of a session to subscribers, each at its own pace; the first one also gets earlier events. */
import { Effect, Exit, Stream } from "effect"
import type { AgentEvent, NoticeEvent, TextEvent, ThinkingEvent } from "../../contract/AgentEvent.ts"
import { type Backlog, makeBacklog } from "../engine/backlog.ts"

type Offer = (event: AgentEvent, bytes: number) => void
type Piece = TextEvent | ThinkingEvent

interface Pieces {
  readonly type: Piece["type"]
  readonly text: string
  readonly lengths: ReadonlyArray<number>
  readonly bytes: number
}

interface Single {
  readonly type: "single"
  readonly event: AgentEvent
  readonly bytes: number
}

/** Longer texts are kept as several, so that to join them costs little. */
const joinedLength = 64 * 1024

/** True for an event that has only its text. */
const isPiece = (event: AgentEvent): event is Piece => {
  if (event.type !== "text" && event.type !== "thinking") return false
  for (const name in event) if (name !== "type" && name !== "text") return false
  return true
}

/**
 * Events of a session before its first subscriber, up to a limit; beyond it all are dropped and counted. Pieces of text,
 * which most of them are, are stored as one text with its cut positions: as objects, each garbage collection would copy
 * them (2,000 turns: a tenth of their CPU, and 45 MB of 160).
 */
export const makeEarlyEvents = (limitBytes: number) => {
  let buffer: Array<Pieces | Single> = []
  let bytes = 0
  let count = 0
  let missed = 0

  // The last pieces, not yet joined.
  let type: Piece["type"] = "text"
  let texts: Array<string> = []
  let characters = 0
  let textBytes = 0

  const join = () => {
    if (texts.length === 0) return
    buffer.push({ type, text: texts.join(""), lengths: texts.map(({ length }) => length), bytes: textBytes })
    texts = []
    characters = 0
    textBytes = 0
  }

  const keepPiece = (piece: Piece, size: number) => {
    if (piece.type !== type || characters >= joinedLength) join()
    type = piece.type
    texts.push(piece.text)
    characters += piece.text.length
    textBytes += size
  }

  const drop = () => {
    join()
    buffer = []
    missed += count
    bytes = 0
    count = 0
  }

  return {
    offer: (event: AgentEvent, size: number) => {
      bytes += size
      count += 1
      if (bytes > limitBytes) return drop()
      if (isPiece(event)) return keepPiece(event, size)
      join()
      buffer.push({ type: "single", event, bytes: size })
    },
    /** Offers all that are kept, in order; to be called once, at the end. */
    take: (offer: Offer) => {
      join()
      for (const each of buffer) {
        if (each.type === "single") offer(each.event, each.bytes)
        else givePieces(each, offer)
      }
      buffer = []
    },
    missed: () => missed
  }
}

/** The first has the bytes of all: they are in memory anyway. */
const givePieces = ({ type, text, lengths, bytes }: Pieces, offer: Offer) => {
  let from = 0
  for (const [nth, length] of lengths.entries()) {
    offer({ type, text: text.slice(from, from + length) }, nth === 0 ? bytes : 0)
    from += length
  }
}

export type Broadcast = ReturnType<typeof makeBroadcast>
const earlyLimitBytes = 16 * 1024 * 1024

const missedNotice = (count: number): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message: `${count} events before the first consumer were dropped`,
  data: { events: count }
})

export const makeBroadcast = (limitBytes = earlyLimitBytes) => {
  const listeners = new Set<Backlog>()
  let early: ReturnType<typeof makeEarlyEvents> | undefined = makeEarlyEvents(limitBytes)
  let last: AgentEvent | undefined
  let isOver = false

  const join = () => {
    const backlog = makeBacklog()
    const first = early
    early = undefined
    first?.take(backlog.offer)
    if (isOver) backlog.end(Exit.void)
    const missed = first?.missed() ?? 0
    if (first !== undefined) return { backlog, before: missed > 0 ? [missedNotice(missed)] : [] }
    // Between `done` and the end the process exits.
    return { backlog, before: last !== undefined && (isOver || last.type === "done") ? [last] : [] }
  }

  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      const joined = join()
      if (!isOver) listeners.add(joined.backlog)
      return joined
    }),
    ({ backlog }) =>
      Effect.sync(() => {
        listeners.delete(backlog)
        backlog.close()
      })
  )

  return {
    offer: (event: AgentEvent, bytes: number) => {
      if (last?.type === "done") return
      last = event
      early?.offer(event, bytes)
      for (const listener of listeners) listener.offer(event, bytes)
    },
    /** Nothing follows. Later subscribers get the last event. */
    end: () => {
      isOver = true
      for (const listener of listeners) listener.end(Exit.void)
      listeners.clear()
    },
    events: Stream.unwrap(
      Effect.map(listen, ({ backlog, before }) =>
        before.length === 0 ? backlog.events : Stream.concat(Stream.fromIterable(before), backlog.events)
      )
    )
  }
}
