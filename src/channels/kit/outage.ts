/** Waits between attempts to reach a service, and what the log says of an outage. Times are of a monotonic clock. */

export interface AfterFailure {
  readonly waitMs: number
  /** For the log. */
  readonly line?: string
}

const [firstMs, longestMs] = [200, 30_000]
const reportAfterMs = 300_000

export interface Outage {
  /** `retryAfterMs`: the service was reached, and says so. */
  readonly failed: (now: number, retryAfterMs?: number) => AfterFailure
  /** The service was reached. Returns a line for the log if an outage was reported. */
  readonly reached: (now: number) => string | undefined
}

/** `service`: for people, such as `Telegram`. */
export const makeOutage = (service: string, startedAt: number): Outage => {
  let failures = 0
  let reachedAt = startedAt
  let isReported = false
  return {
    failed: (now, retryAfterMs) => {
      const waitMs = Math.min(firstMs * 2 ** Math.min(failures, 20), longestMs)
      failures += 1
      if (retryAfterMs !== undefined) return { waitMs: Math.max(retryAfterMs, waitMs) }
      if (isReported || now - reachedAt < reportAfterMs) return { waitMs }
      isReported = true
      return { waitMs, line: `${service} has not been reached for five minutes; it is tried again and again` }
    },
    reached: (now) => {
      const wasReported = isReported
      failures = 0
      reachedAt = now
      isReported = false
      return wasReported ? `${service} is reached again` : undefined
    }
  }
}
