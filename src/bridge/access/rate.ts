/** How many messages a person may send in a minute. Of the people that wrote longest ago the count is forgotten. */

export interface RateLimit {
  /** `told`: the first one too many, for which the person is told; `silent`: those after it. */
  readonly take: (sender: string, nowMs: number, group?: string) => "taken" | "told" | "silent"
}

export const usualPerMinute = 20
const windowMs = 60_000
/** Of people whose messages are counted. */
const mostSenders = 1_000

interface Count {
  /** Of those that were taken, the newest last. */
  times: ReadonlyArray<number>
  group: string | undefined
  isTold: boolean
}

/** `nowMs` is of a clock that is not set. The parts of an album, which share their `group`, count as one message. */
export const makeRateLimit = (most: number = usualPerMinute): RateLimit => {
  const counts = new Map<string, Count>()
  return {
    take: (sender, nowMs, group) => {
      const count = counts.get(sender) ?? { times: [], group: undefined, isTold: false }
      counts.delete(sender)
      counts.set(sender, count)
      const [oldest] = counts.keys()
      if (counts.size > mostSenders && oldest !== undefined) counts.delete(oldest)
      count.times = count.times.filter((at) => nowMs - at < windowMs)
      if (group !== undefined && group === count.group) return count.isTold ? "silent" : "taken"
      count.group = group
      if (count.times.length < most) {
        count.times = [...count.times, nowMs]
        count.isTold = false
        return "taken"
      }
      if (count.isTold) return "silent"
      count.isTold = true
      return "told"
    }
  }
}
