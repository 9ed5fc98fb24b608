/**
 * The server's time: that of a clock, moved on by `advance`. What waits for a time is looked at every 20 ms, so that a
 * clock that stands still or jumps is as good as the machine's.
 */

export interface ServerClock {
  /** In ms since 1970. */
  readonly now: () => number
  readonly advance: (ms: number) => void
  /** Runs once it is that late; gives what takes it back. */
  readonly at: (time: number, run: () => void) => () => void
  readonly close: () => void
}

const lookMs = 20

export const makeClock = (machine: () => number): ServerClock => {
  const waiting = new Set<{ readonly time: number; readonly run: () => void }>()
  let ahead = 0
  let timer: NodeJS.Timeout | undefined
  const now = () => machine() + ahead

  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = () => {
    for (const each of [...waiting].filter(({ time }) => time <= now())) {
      waiting.delete(each)
      each.run()
    }
    if (waiting.size === 0) stop()
  }
  return {
    now,
    advance: (ms) => {
      ahead += ms
      look()
    },
    at: (time, run) => {
      const each = { time, run }
      waiting.add(each)
      timer ??= setInterval(look, lookMs).unref()
      return () => void waiting.delete(each)
    },
    close: () => {
      waiting.clear()
      stop()
    }
  }
}
