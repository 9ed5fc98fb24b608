/**
 * Codex reports usage as the running total of the thread (0.169.0). The run's own is the difference to the total before
 * it, which is known for a new thread, and for an older one if the last run on it was this process's and reported all
 * of its usage.
 */
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { countNames, usageOf } from "../../../contract/usage.ts"
import type * as Wire from "../wire.ts"

/** Input, output, cache reads, cache writes; an unreported count is undefined. */
export type Totals = Required<{ readonly [Name in keyof AgentUsage]: number | undefined }>

export interface ThreadTotals {
  readonly threadId: string
  readonly totals: Totals
}

export const nothing: Totals = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const totalsOf = (usage: Wire.Totals): Totals => ({
  // Codex counts cached tokens among the input; separated, the two add up as they do for every other CLI.
  inputTokens:
    usage.input_tokens == null ? undefined : Math.max(0, usage.input_tokens - (usage.cached_input_tokens ?? 0)),
  outputTokens: usage.output_tokens ?? undefined,
  cacheReadTokens: usage.cached_input_tokens ?? undefined,
  cacheWriteTokens: usage.cache_write_input_tokens ?? undefined
})

/** Usage between two totals; undefined when counts are missing or decrease. */
export const difference = (after: Totals, before: Totals): AgentUsage | undefined => {
  const counts = countNames.flatMap((name) => {
    const [from, to] = [before[name], after[name]]
    return from === undefined || to === undefined ? [] : [[name, to - from] as const]
  })
  return counts.some(([, count]) => count < 0) ? undefined : usageOf(Object.fromEntries(counts))
}

export interface Memory {
  /**
   * The total before a run that resumes this thread. It is forgotten: a run that ends without a total has used more.
   */
  readonly take: (threadId: string) => Totals | undefined
  /** The same for a fork, which leaves the thread as it is. */
  readonly look: (threadId: string) => Totals | undefined
  readonly keep: (total: ThreadTotals) => void
}

const mostThreads = 1_000

/** The last totals of this process's threads, the oldest forgotten first. */
export const makeMemory = (): Memory => {
  const known = new Map<string, Totals>()
  return {
    take: (threadId) => {
      const totals = known.get(threadId)
      known.delete(threadId)
      return totals
    },
    look: (threadId) => known.get(threadId),
    keep: ({ threadId, totals }) => {
      known.delete(threadId)
      known.set(threadId, totals)
      const [oldest] = known.keys()
      if (known.size > mostThreads && oldest !== undefined) known.delete(oldest)
    }
  }
}
