/** The server's time: a clock, moved on by `advance`. Polled every 20 ms, so that a clock may stand still or jump. */

const lookMs = 20

export const makeClock = (machine: () => number) => {
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
    /** In ms since 1970. */
    now,
    advance: (ms: number) => {
      ahead += ms
      look()
    },
    /** Runs it at that time or later; returns its cancellation. */
    at: (time: number, run: () => void) => {
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

export type ServerClock = ReturnType<typeof makeClock>
