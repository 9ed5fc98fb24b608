/**
 * The results of a live session tell cost and time of the API for the session as a whole; this makes them tell those of
 * their own turn (2.1.328). Of a session that was resumed nobody knows the totals before its first result.
 */
import type * as Wire from "./wire.ts"

export interface Totals {
  readonly ofTurn: (line: Wire.RunResult) => Wire.RunResult
  /** The CLI counts from the beginning again. */
  readonly reset: () => void
}

/** A total that is less than the one before was counted from the beginning. */
const increase = (before: number | undefined, now: number) => {
  if (before === undefined) return null
  return now >= before ? now - before : now
}

export const makeTotals = (resumed: boolean): Totals => {
  let costUsd = resumed ? undefined : 0
  let apiMs = resumed ? undefined : 0

  return {
    ofTurn: (line) => {
      // A command of the CLI's own costs nothing, and tells no time.
      if (line.local_command != null) return { ...line, total_cost_usd: 0, duration_api_ms: 0 }
      const { total_cost_usd: cost, duration_api_ms: api } = line
      const turn = {
        ...line,
        total_cost_usd: cost == null ? null : increase(costUsd, cost),
        duration_api_ms: api == null ? null : increase(apiMs, api)
      }
      costUsd = cost ?? costUsd
      apiMs = api ?? apiMs
      return turn
    },
    reset: () => {
      costUsd = 0
      apiMs = 0
    }
  }
}
