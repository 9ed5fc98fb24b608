/** Pending events of one run, as JSON without secrets; joins streamed text. Bounded: counts and notes overflow. */
import { Predicate } from "effect"
import type { AgentEvent, NoticeEvent, TextEvent, ThinkingEvent } from "../../contract/AgentEvent.ts"
import { eventJson } from "../../contract/eventJson.ts"
import { type GrowingText, makeGrowingText } from "../../contract/text/growingText.ts"
import type { NewRow } from "./rows.ts"

type Streamed = TextEvent | ThinkingEvent

interface Whole {
  readonly at: number
  readonly json: string
  readonly size: number
}

interface Growing {
  readonly at: number
  readonly first: Streamed
  readonly text: GrowingText
  size: number
}

type Item = Whole | Growing

/** Limit over all runs of a store, in characters. */
export interface Room {
  used: number
  readonly most: number
}

export const makeRoom = (most = 32 * 1024 * 1024): Room => ({ used: 0, most })

export interface Pending {
  readonly push: (event: AgentEvent | { readonly type: "prompt"; readonly text: string }, at: number) => void
  /**
   * The oldest, in a bounded batch; they stay until `drop`. While more may follow, the last word of a text that streams
   * is held back: it may be the beginning of a secret.
   */
  readonly peek: (mayFollow: boolean) => ReadonlyArray<NewRow>
  readonly drop: (count: number) => void
  readonly isEmpty: () => boolean
}

/** In characters. A text that streams is also seen while it does. */
const longestText = 16 * 1024
const longestWord = 4 * 1024
const batchSize = 1024 * 1024
const batchRows = 200

const isStreamed = (event: { readonly type: string }): event is Streamed =>
  event.type === "text" || event.type === "thinking"

const withoutSecrets = (value: unknown, redact: (text: string) => string): unknown => {
  if (Predicate.isString(value)) return redact(value)
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, redact))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member, redact)]))
}

const missing = (count: number): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message: `${count} events are not in this transcript: they came faster than the store could be written`,
  data: { missing: count }
})

export interface PendingOptions {
  readonly runId: string
  readonly redact: (text: string) => string
  readonly room: Room
}

export const makePending = ({ runId, redact, room }: PendingOptions): Pending => {
  const items: Array<Item> = []
  let lost = 0
  const hasRoom = (size: number) => room.used === 0 || room.used + size <= room.most
  const add = (item: Item) => {
    items.push(item)
    room.used += item.size
  }
  const pushText = (event: Streamed, at: number) => {
    const size = event.text.length
    if (!hasRoom(size)) return false
    const last = items.at(-1)
    const isSame =
      last !== undefined &&
      "first" in last &&
      last.first.type === event.type &&
      last.first.parentToolId === event.parentToolId &&
      last.size + size <= longestText
    if (!isSame) add({ at, first: event, text: makeGrowingText(event.text), size })
    else {
      last.text.add(event.text)
      last.size += size
      room.used += size
    }
    return true
  }
  const pushWhole = (event: object & { readonly type: string }, at: number) => {
    const { type, ...rest } = event
    // Its type is a word of ours.
    const json = eventJson({ type, ...Object(withoutSecrets(rest, redact)) })
    if (!hasRoom(json.length)) return false
    add({ at, json, size: json.length })
    return true
  }
  const tellLost = (at: number) => {
    if (lost > 0 && hasRoom(1024) && pushWhole(missing(lost), at)) lost = 0
  }
  /** Splits the last word off the last text; returns the number of items to hold back. */
  const holdBack = () => {
    const last = items.at(-1)
    if (last === undefined || !("first" in last)) return 0
    const text = last.text.text()
    const at = text.search(/\S+$/)
    if (at === -1 || text.length - at > longestWord) return 0
    if (at === 0) return 1
    const word: Growing = { ...last, text: makeGrowingText(text.slice(at)), size: text.length - at }
    items.splice(-1, 1, { ...last, text: makeGrowingText(text.slice(0, at)), size: at }, word)
    return 1
  }
  /** Closes an item that is about to be written. */
  const close = (item: Item): Whole =>
    "json" in item
      ? item
      : { at: item.at, json: eventJson({ ...item.first, text: redact(item.text.text()) }), size: item.size }

  return {
    push: (event, at) => {
      tellLost(at)
      const isKept = isStreamed(event) ? pushText(event, at) : pushWhole(event, at)
      if (!isKept) lost += 1
    },
    peek: (mayFollow) => {
      tellLost(items.at(-1)?.at ?? 0)
      const ready = mayFollow ? items.length - holdBack() : items.length
      let size = 0
      const end = items.findIndex((item, index) => {
        size += item.size
        return index >= ready || (index > 0 && (index >= batchRows || size > batchSize))
      })
      const batch = (end === -1 ? items : items.slice(0, end)).map(close)
      items.splice(0, batch.length, ...batch)
      return batch.map(({ at, json }) => ({ runId, at, event: json }))
    },
    drop: (count) => {
      for (const item of items.splice(0, count)) room.used -= item.size
    },
    isEmpty: () => items.length === 0 && lost === 0
  }
}
