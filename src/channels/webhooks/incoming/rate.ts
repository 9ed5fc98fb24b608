/** How many deliveries a webhook takes in a minute: of any minute, not of those of the clock. */

const windowMs = 60_000

export interface Rate {
  /** Takes one more, by a monotonic clock: 0, or the ms until the next one is taken. */
  readonly take: (nowMs: number) => number
}

export const makeRate = (most: number): Rate => {
  let times: ReadonlyArray<number> = []
  return {
    take: (nowMs) => {
      times = times.filter((at) => nowMs - at < windowMs)
      const [oldest] = times
      if (oldest !== undefined && times.length >= most) return Math.max(1, windowMs - (nowMs - oldest))
      times = [...times, nowMs]
      return 0
    }
  }
}
