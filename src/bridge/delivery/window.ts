/**
 * How many calls fit into a span of time, wherever the span begins; pure but for its state, which is bounded by that number.
 * A call counts from its begin until the span after its end: when the channel counts it is not known.
 */

export interface Window {
  /** From when on a call fits that leaves so many free; `Infinity`: not before one ends that is under way. */
  readonly freeAt: (now: number, leaving: number) => number
  readonly begin: () => void
  readonly end: (now: number) => void
  readonly isEmpty: (now: number) => boolean
}

export const makeWindow = (most: number, spanMs: number): Window => {
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
export const windowOf = (most: number | undefined, spanMs: number): Window | undefined => {
  if (most === undefined || !(most > 0) || most === Number.POSITIVE_INFINITY) return undefined
  return most < 1 ? makeWindow(1, spanMs / most) : makeWindow(Math.floor(most), spanMs)
}
