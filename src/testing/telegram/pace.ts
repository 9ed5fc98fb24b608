/** How often a bot may write: budgets of a chat and of all, and blocked windows. */
import type { KeptChat } from "./chats.ts"
import { limits } from "./limits.ts"
import { type Refusal, tooMany } from "./refusal.ts"

/** Scope of a wait: one chat, or everything. */
export type PaceScope = "chat" | "account"

/** At most so many messages and edits within a span; for a direct chat, in a burst. */
export interface Budget {
  readonly most: number
  readonly spanMs: number
}

export interface TelegramPace {
  /** Default: 5 within 5 s. */
  readonly direct?: Budget
  /** Default: 20 within a minute. */
  readonly group?: Budget
  /** Default: 30 within a second. */
  readonly all?: Budget
}

export const makePace = (now: () => number, options: TelegramPace | false) => {
  const budgets = options === false ? undefined : { ...limits.pace, ...options }
  const until = new Map<number | "account", number>()
  let writes: ReadonlyArray<{ readonly at: number; readonly chat: number }> = []
  const spans = budgets === undefined ? [] : Object.values(budgets).map(({ spanMs }) => spanMs)
  const keptMs = Math.max(0, ...spans)
  const forbid = (scope: PaceScope, chat: number, ms: number) => {
    const key = scope === "account" ? scope : chat
    until.set(key, Math.max(until.get(key) ?? 0, now() + ms))
  }

  const leftOf = (some: typeof writes, { most, spanMs }: Budget, count: number) => {
    const recent = some.filter(({ at }) => at > now() - spanMs)
    // An album is one call: taken as a whole where anything is.
    const blocking = recent.length + Math.min(count, most) - most
    const last = recent[blocking - 1]
    return last === undefined ? 0 : last.at + spanMs - now()
  }

  return {
    forbid,
    /** Returns undefined if a write is allowed now, and counts it. `count`: the messages of an album. */
    refusal: ({ id, kind }: KeptChat, count = 1): Refusal | undefined => {
      const closed = Math.max(until.get(id) ?? 0, until.get("account") ?? 0) - now()
      if (closed > 0) return tooMany(closed, "forbidden")
      if (budgets === undefined) return undefined
      writes = writes.filter(({ at }) => at > now() - keptMs)
      const own = writes.filter(({ chat }) => chat === id)
      const inChat = leftOf(own, kind === "private" ? budgets.direct : budgets.group, count)
      const inAll = leftOf(writes, budgets.all, count)
      if (inChat > 0 || inAll > 0) {
        // Telegram reports whole seconds: nothing is taken until then.
        const ms = Math.ceil(Math.max(inChat, inAll) / 1_000) * 1_000
        forbid(inChat >= inAll ? "chat" : "account", id, ms)
        return tooMany(ms, "pace")
      }
      writes = [...writes, ...Array.from({ length: count }, () => ({ at: now(), chat: id }))]
      return undefined
    }
  }
}

export type Pace = ReturnType<typeof makePace>
