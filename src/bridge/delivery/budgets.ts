/** When a call to a channel may be made: budgets of chats and account, and holds of the channel. Monotonic times. */
import type { Pace } from "../messages/Channel.ts"
import type { SendReason, TooFastScope } from "../messages/SendError.ts"

/** Counts calls in any span: each from its start until a span after its end, since the channel's clock is unknown. */
export interface Window {
  /** When a call fits that leaves so many free; `Infinity` until a running one ends. */
  readonly freeAt: (now: number, leaving: number) => number
  readonly begin: () => void
  readonly end: (now: number) => void
  readonly isEmpty: (now: number) => boolean
}

const makeWindow = (most: number, spanMs: number): Window => {
  let flying = 0
  /** When those ended that still count, the oldest first. */
  const ended: Array<number> = []
  const forget = (now: number) => {
    while (ended[0] !== undefined && ended[0] + spanMs < now) ended.shift()
  }
  return {
    freeAt: (now, leaving) => {
      forget(now)
      const room = Math.max(1, most - leaving)
      const used = flying + ended.length
      if (used < room) return now
      const last = ended[used - room]
      return last === undefined ? Number.POSITIVE_INFINITY : last + spanMs + 1
    },
    begin: () => {
      flying += 1
    },
    end: (now) => {
      flying -= 1
      ended.push(now)
    },
    isEmpty: (now) => {
      forget(now)
      return flying === 0 && ended.length === 0
    }
  }
}

/** Less than one in the span is one in a longer span. */
const windowOf = (most: number | undefined, spanMs: number): Window | undefined => {
  if (most === undefined || !(most > 0) || most === Number.POSITIVE_INFINITY) return undefined
  return most < 1 ? makeWindow(1, spanMs / most) : makeWindow(Math.floor(most), spanMs)
}

/** In the order in which they go. */
export const callKinds = ["acknowledgement", "request", "answer", "removal", "progress"] as const
export type CallKind = (typeof callKinds)[number]

/** Facts that decide when a call may be sent. */
export interface Call {
  readonly kind: CallKind
  readonly chatId: string
  /** Default: the smaller of the two budgets. */
  readonly chat?: "direct" | "group" | undefined
  readonly isEdit?: boolean
}

export interface Hold {
  readonly scope: TooFastScope
  /** Undefined for `account` and `allEdits`. */
  readonly chatId: string | undefined
  readonly since: number
  readonly until: number
}

type TooFast = Extract<SendReason, { _tag: "TooFast" }>

interface Chat {
  readonly window: Window | undefined
  /** Within the span of the window. */
  readonly most: number
}

export const minute = 60_000
/** Bounds of what a channel may name: it is neither asked again at once, nor only after years. */
const [shortestHoldMs, longestHoldMs] = [1_000, 24 * 60 * minute]

export const holdMsOf = (retryAfterMs: number): number =>
  Number.isNaN(retryAfterMs) ? shortestHoldMs : Math.min(Math.max(retryAfterMs, shortestHoldMs), longestHoldMs)

/** Progress leaves a quarter to the messages that people wait for, until it has waited for a minute. */
const leftOf = (most: number, isLow: boolean) => (isLow && most > 1 ? Math.ceil(most / 4) : 0)

const lesser = (one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY) => Math.min(one, other)

export const makeBudgets = ({ allPerSecond, directPerMinute, directBurst, groupPerMinute, editsPerMinute }: Pace) => {
  const all = windowOf(allPerSecond, 1_000)
  const edits = windowOf(editsPerMinute, minute)
  const chats = new Map<string, Chat>()
  const holds = new Map<string, Hold>()
  let sweptAt = 0

  const mostOf = ({ chat }: Call) => {
    if (chat === undefined) return lesser(directPerMinute, groupPerMinute)
    return (chat === "group" ? groupPerMinute : directPerMinute) ?? Number.POSITIVE_INFINITY
  }

  /** For an unknown chat, a burst is never more than a group's. */
  const mostAtOnce = ({ chat }: Call, perMinute: number) => {
    if (chat === "group") return perMinute
    return chat === "direct" ? (directBurst ?? perMinute) : lesser(perMinute, directBurst)
  }

  /** The chat kind stays fixed until the chat is idle. */
  const chatOf = (call: Call): Chat => {
    const known = chats.get(call.chatId)
    if (known !== undefined) return known
    const perMinute = mostOf(call)
    const most = mostAtOnce(call, perMinute)
    const spanMs = perMinute === Number.POSITIVE_INFINITY ? minute : (most / perMinute) * minute
    const made = { window: windowOf(most, spanMs), most }
    chats.set(call.chatId, made)
    return made
  }

  const nameOf = (scope: Hold["scope"], chatId: string | undefined) => JSON.stringify([scope, chatId ?? ""])

  const heldUntil = ({ kind, chatId, isEdit = false }: Call) => {
    const until = (scope: Hold["scope"], chat?: string) => holds.get(nameOf(scope, chat))?.until ?? 0
    const account = until("account")
    if (kind === "acknowledgement") return account
    return Math.max(account, until("chat", chatId), isEdit ? Math.max(until("edits", chatId), until("allEdits")) : 0)
  }

  return {
    heldUntil,
    /** The earliest time; `Infinity` until another call has ended. */
    freeAt: (call: Call, waitedMs: number, now: number): number => {
      const held = heldUntil(call)
      if (call.kind === "acknowledgement") return held
      const isLow = call.kind === "progress" && waitedMs < minute
      const { window, most } = chatOf(call)
      const ofChat = window?.freeAt(now, leftOf(most, isLow)) ?? now
      const ofAll = all?.freeAt(now, leftOf(allPerSecond ?? 0, isLow)) ?? now
      const ofEdits = call.isEdit === true ? edits?.freeAt(now, leftOf(editsPerMinute ?? 0, isLow)) : undefined
      return Math.max(held, ofChat, ofAll, ofEdits ?? now)
    },

    /** Counts the call; the returned function takes the time of its end. */
    begin: (call: Call): ((now: number) => void) => {
      if (call.kind === "acknowledgement") return () => undefined
      const windows = [chatOf(call).window, all, call.isEdit === true ? edits : undefined]
      for (const window of windows) window?.begin()
      return (now) => {
        for (const window of windows) window?.end(now)
      }
    },

    /** The channel's reply to a call. */
    hold: ({ retryAfterMs, scope }: Omit<TooFast, "_tag">, chatId: string, now: number): Hold => {
      const of = scope === "account" || scope === "allEdits" ? undefined : chatId
      const name = nameOf(scope, of)
      const before = holds.get(name)
      // Times are whole: 1 ms more is never too early.
      const until = Math.max(before?.until ?? 0, now + holdMsOf(retryAfterMs) + 1)
      const hold = { scope, chatId: of, since: before?.since ?? now, until }
      holds.set(name, hold)
      return hold
    },

    /** Returns each ended hold once. */
    over: (now: number): ReadonlyArray<Hold> => {
      const ended = [...holds].filter(([, { until }]) => until <= now)
      for (const [name] of ended) holds.delete(name)
      return ended.map(([, hold]) => hold)
    },

    nextOver: (): number =>
      [...holds.values()].reduce((next, { until }) => Math.min(next, until), Number.POSITIVE_INFINITY),

    /** Forgets chats that were quiet for a minute. */
    sweep: (now: number) => {
      if (now - sweptAt < minute) return
      sweptAt = now
      for (const [chatId, { window }] of chats) if (window?.isEmpty(now) ?? true) chats.delete(chatId)
    },

    size: () => chats.size + holds.size
  }
}
export type Budgets = ReturnType<typeof makeBudgets>
