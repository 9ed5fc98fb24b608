/**
 * The last events of a stream, for any number of readers at their own pace, and their form as Server-Sent Events; bounded
 * and pure. A reader names the position up to which it has them; one that is too late gets a notice about the dropped ones.
 */
import { Predicate } from "effect"
import type { EventRequest, Stamped } from "../../contract/EventFeed.ts"

export interface Entry {
  readonly stamped: Stamped
  /** The text to send; undefined if nothing is sent for this event. */
  readonly json: string | undefined
}

/** Number of entries in a batch, which one reader has in memory. */
const batch = 64
/** Entries without text take memory, too. */
const leastSize = 100

export const makeEventLog = (keep: number, missed: (oldest: Stamped, count: number) => Entry) => {
  let entries: Array<Entry> = []
  /** Index of the oldest entry that is kept: to shift a long array costs its length. */
  let oldest = 0
  let size = 0
  let last = 0

  const sizeOf = ({ json }: Entry) => Math.max(leastSize, json?.length ?? 0)

  const drop = () => {
    while (size > keep && oldest < entries.length - 1) {
      const entry = entries[oldest]
      if (entry !== undefined) size -= sizeOf(entry)
      oldest += 1
    }
    if (oldest <= entries.length / 2) return
    entries = entries.slice(oldest)
    oldest = 0
  }

  return {
    push: (entry: Entry) => {
      entries.push(entry)
      size += sizeOf(entry)
      last = entry.stamped.position
      drop()
    },
    /** The position of the last entry; 0 without entries. */
    last: () => last,
    /** Entries behind a position, in batches. */
    after: (position: number): ReadonlyArray<Entry> => {
      const first = last - (entries.length - oldest) + 1
      const from = Math.max(position + 1, first)
      const found = entries.slice(oldest + from - first, oldest + from - first + batch)
      const [next] = found
      return position + 1 < first && next !== undefined ? [missed(next.stamped, first - 1 - position), ...found] : found
    }
  }
}

export const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Proxies of nginx would hold events back.
  "x-accel-buffering": "no"
} as const

/** A comment, which clients ignore. */
export const heartbeat = ":\n\n"

/** Without a name, so that `onmessage` of an EventSource gets each. JSON has no line breaks of its own. */
export const frameOf = ({ stamped, json }: Entry): string =>
  json === undefined ? `id: ${stamped.position}\n\n` : `id: ${stamped.position}\ndata: ${json}\n\n`

/** Throws if the argument is not a request. */
export const lastEventIdIn = ({ headers: input }: EventRequest): string | undefined => {
  if (!Predicate.isObject(input))
    throw new TypeError("event feed: the request has no headers; with Hono, pass c.req.raw")
  const id = typeof input.get === "function" ? input.get("last-event-id") : Reflect.get(input, "last-event-id")
  return typeof id === "string" ? id : undefined
}

/** Returns 0, the beginning, for an invalid position, and for one of another feed, which this one never had. */
export const positionOf = (lastEventId: string | null | undefined, last: number): number => {
  const position = /^\d{1,15}$/.test(lastEventId ?? "") ? Number(lastEventId) : 0
  return position > last ? 0 : position
}
