/** How often a method may be called: budgets by the minute, of a channel for posts, and windows in which nothing is taken. */
import type { Budget } from "../telegram/pace.ts"
import { limits } from "./limits.ts"
import { type Refusal, tooMany } from "./refusal.ts"

export interface SlackPace {
  /** Posts in a channel. Default: 3 within 3 s. */
  readonly post?: Budget
  /** `chat.update` in the workspace. Default: 50 a minute. */
  readonly update?: Budget
  /** Methods of a tier, each for itself. Default: 20, 50 and 100 a minute. */
  readonly tier2?: Budget
  readonly tier3?: Budget
  readonly tier4?: Budget
}

export type PaceKind = keyof typeof limits.pace

export const makePace = (now: () => number, options: SlackPace | false) => {
  const budgets = options === false ? undefined : { ...limits.pace, ...options }
  const until = new Map<string, number>()
  const calls = new Map<string, ReadonlyArray<number>>()
  const forbid = (key: string, ms: number) => void until.set(key, Math.max(until.get(key) ?? 0, now() + ms))
  return {
    forbid,
    /** Returns undefined if a call is allowed now, and counts it. `key`: the method, or method and channel. */
    refusal: (kind: PaceKind, key: string, method: string): Refusal | undefined => {
      const closed = Math.max(until.get(key) ?? 0, until.get(method) ?? 0) - now()
      if (closed > 0) return tooMany(closed, "forbidden")
      if (budgets === undefined) return undefined
      const { most, spanMs } = budgets[kind]
      const recent = (calls.get(key) ?? []).filter((at) => at > now() - spanMs)
      const blocking = recent[recent.length - most]
      if (blocking !== undefined) {
        // Slack reports whole seconds: nothing is taken until then.
        const ms = Math.ceil((blocking + spanMs - now()) / 1_000) * 1_000
        forbid(key, ms)
        return tooMany(ms, "pace")
      }
      calls.set(key, [...recent, now()])
      return undefined
    }
  }
}

export type Pace = ReturnType<typeof makePace>
