/**
 * Codex reports usage as the running total of the thread (0.169.0). The run's own is the difference to the total before
 * it, which is known for a new thread alone: an older one may have been used by others. Its rollout has the rest.
 */
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { countNames, usageOf } from "../../../contract/addUsage.ts"
import type * as Wire from "../wire.ts"

/** Input, output, cache reads, cache writes; an unreported count is undefined. */
export type Totals = Required<{ readonly [Name in keyof AgentUsage]: number | undefined }>

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
