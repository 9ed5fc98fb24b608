/** Waits between attempts to reach a service, and what the log says of an outage; pure. Times are of a monotonic clock. */

const [firstMs, longestMs] = [200, 30_000]
const reportAfterMs = 300_000

export const makeBackOff = (service: string, startedAt: number) => {
  let failures = 0
  let reachedAt = startedAt
  let isReported = false
  return {
    failed: (now: number): { readonly waitMs: number; readonly line?: string } => {
      const waitMs = Math.min(firstMs * 2 ** Math.min(failures, 20), longestMs)
      failures += 1
      if (isReported || now - reachedAt < reportAfterMs) return { waitMs }
      isReported = true
      return { waitMs, line: `${service} has not been reached for five minutes; it is tried again and again` }
    },
    /** Returns a line for the log if an outage was reported. */
    reached: (now: number): string | undefined => {
      const wasReported = isReported
      failures = 0
      reachedAt = now
      isReported = false
      return wasReported ? `${service} is reached again` : undefined
    }
  }
}
