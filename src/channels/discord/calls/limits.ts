/**
 * Limits of Discord: buckets of its answers, by route and channel, and the count of bad answers, of which 10,000 in
 * ten minutes bar an address. A held call is not made. Times are of a monotonic clock.
 */
import type { CallFailure } from "./failure.ts"

const mostKeys = 2_000
const badMost = 1_000
const badSpanMs = 600_000

export const makeLimits = () => {
  const until = new Map<string, number>()
  let bad: Array<number> = []

  const hold = (key: string, end: number) => {
    until.set(key, Math.max(until.get(key) ?? 0, end))
    const [oldest] = until.keys()
    if (until.size > mostKeys && oldest !== undefined) until.delete(oldest)
  }

  const isBad = (failure: CallFailure | undefined) =>
    failure?._tag === "TooFast" || (failure?._tag === "Refused" && (failure.status === 401 || failure.status === 403))

  return {
    /** Undefined if a call may be made. */
    held: (key: string, now: number): Extract<CallFailure, { readonly _tag: "TooFast" }> | undefined => {
      bad = bad.filter((at) => at > now - badSpanMs)
      const barredMs = bad.length < badMost ? 0 : (bad[0] ?? now) + badSpanMs - now
      const accountMs = Math.max(barredMs, (until.get("account") ?? 0) - now)
      if (accountMs > 0) return { _tag: "TooFast", retryAfterMs: accountMs, scope: "account" }
      const ownMs = (until.get(key) ?? 0) - now
      return ownMs > 0 ? { _tag: "TooFast", retryAfterMs: ownMs, scope: "route" } : undefined
    },
    /** Remembers an answer: its failure, or what its headers say of the bucket. */
    answered: (key: string, headers: Headers, failure: CallFailure | undefined, now: number) => {
      if (isBad(failure)) bad.push(now)
      if (failure?._tag === "TooFast") {
        hold(failure.scope === "account" ? "account" : key, now + failure.retryAfterMs)
        return
      }
      const resetAfter = Number(headers.get("x-ratelimit-reset-after") ?? Number.NaN)
      if (headers.get("x-ratelimit-remaining") === "0" && resetAfter > 0 && resetAfter < 3_600)
        hold(key, now + Math.ceil(resetAfter * 1_000))
    },
    size: () => until.size
  }
}

export type Limits = ReturnType<typeof makeLimits>
