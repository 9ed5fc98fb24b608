/** How often a bot may write: a bucket of each route and channel, a budget of the account, and blocked windows. */
import { limits } from "./limits.ts"
import { TooMany } from "./refusal.ts"

/** Scope of a wait: the route in one channel, or everything. */
export type PaceScope = "channel" | "account"

interface Budget {
  readonly most: number
  readonly spanMs: number
}

export interface DiscordPace {
  /** For one route in one channel. Default: 5 within 5 s. */
  readonly channel?: Budget
  /** Default: 50 within a second. */
  readonly all?: Budget
}

/** Facts of a bucket for the headers of an answer. */
export interface Bucket {
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  readonly resetAt: number
  readonly name: string
}

export const makePace = (now: () => number, options: DiscordPace | false) => {
  const budgets = options === false ? undefined : { ...limits.pace, ...options }
  const until = new Map<string, number>()
  const windows = new Map<string, { readonly resetAt: number; used: number }>()
  let calls: ReadonlyArray<number> = []
  const keyOf = (route: string, channel: string) => `${route} ${channel}`
  const forbid = (key: string, ms: number) => void until.set(key, Math.max(until.get(key) ?? 0, now() + ms))

  return {
    /** Nothing is taken for so long. */
    forbid: (scope: PaceScope, route: string, channel: string, ms: number) =>
      forbid(scope === "account" ? scope : keyOf(route, channel), ms),
    /** Counts a call; throws if it is too much. Returns its bucket; undefined without buckets. */
    take: (route: string, channel: string): Bucket | undefined => {
      const key = keyOf(route, channel)
      const all = (until.get("account") ?? 0) - now()
      if (all > 0) throw new TooMany(all, true, "forbidden")
      const own = (until.get(key) ?? 0) - now()
      if (own > 0) throw new TooMany(own, false, "forbidden")
      if (budgets === undefined) return undefined
      calls = calls.filter((at) => at > now() - budgets.all.spanMs)
      if (calls.length >= budgets.all.most) {
        const ms = (calls[0] ?? 0) + budgets.all.spanMs - now()
        forbid("account", ms)
        throw new TooMany(ms, true, "pace")
      }
      calls = [...calls, now()]
      const { most, spanMs } = budgets.channel
      const found = windows.get(key)
      const window = found !== undefined && found.resetAt > now() ? found : { resetAt: now() + spanMs, used: 0 }
      windows.set(key, window)
      const resetAfterMs = window.resetAt - now()
      if (window.used >= most) {
        forbid(key, resetAfterMs)
        throw new TooMany(resetAfterMs, false, "pace")
      }
      window.used += 1
      const name = Buffer.from(route).toString("hex").padEnd(32, "0").slice(0, 32)
      return { limit: most, remaining: most - window.used, resetAfterMs, resetAt: window.resetAt, name }
    }
  }
}

export type Pace = ReturnType<typeof makePace>
