/**
 * The last events of a stream, for any number of readers at their own pace; bounded and pure. A reader names the position
 * up to which it has them; one that is too late gets a notice in the place of what was dropped.
 */
import type { Stamped } from "../../contract/EventFeed.ts"

export interface Entry {
  readonly stamped: Stamped
  /** The text to send; undefined if nothing is sent for this event. */
  readonly json: string | undefined
}

export interface EventLog {
  readonly push: (entry: Entry) => void
  /** The position of the last entry; 0 without entries. */
  readonly last: () => number
  /** Entries behind a position, in batches. */
  readonly after: (position: number) => ReadonlyArray<Entry>
}

/** Number of entries in a batch: what one reader has in hand at a time. */
const batch = 64

/** Entries without text take memory, too. */
const leastSize = 100

export const makeEventLog = (keep: number, missed: (oldest: Stamped, count: number) => Entry): EventLog => {
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
    push: (entry) => {
      entries.push(entry)
      size += sizeOf(entry)
      last = entry.stamped.position
      drop()
    },
    last: () => last,
    after: (position) => {
      const first = last - (entries.length - oldest) + 1
      const from = Math.max(position + 1, first)
      const found = entries.slice(oldest + from - first, oldest + from - first + batch)
      const [next] = found
      return position + 1 < first && next !== undefined ? [missed(next.stamped, first - 1 - position), ...found] : found
    }
  }
}
