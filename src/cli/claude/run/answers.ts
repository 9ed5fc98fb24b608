/**
 * Usage of the model's answers since the last result, counted once by id (2.1.328): every block of an answer has its own line,
 * with the same counts. The output of a sub-agent is reported with its first words and not again, so until the result the
 * sum is a lower bound.
 */
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addUsage, countsBy, usageOf } from "../../../contract/addUsage.ts"
import type { AnswerCounts } from "../wire.ts"

export interface Answers {
  /** All or some counts of an answer; earlier counts stay where they are higher. Returns whether anything changed. */
  readonly count: (id: string, counts: AnswerCounts | null | undefined) => boolean
  readonly sum: () => AgentUsage | undefined
  /** A result has included the sum. */
  readonly forget: () => void
}

/** Answers of a main thread and its sub-agents at once; older ones are complete. */
const mostKept = 256

const highest = (a: AgentUsage, b: AgentUsage): AgentUsage =>
  countsBy((name) => {
    const one = a[name]
    const other = b[name]
    return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
  })

/** The increase of each count. */
const grown = (before: AgentUsage, after: AgentUsage): AgentUsage | undefined =>
  usageOf(
    countsBy((name) => {
      const count = after[name]
      return count === before[name] || count === undefined ? undefined : count - (before[name] ?? 0)
    })
  )

export const usageOfCounts = (counts: AnswerCounts | null | undefined): AgentUsage | undefined =>
  usageOf({
    inputTokens: counts?.input_tokens,
    outputTokens: counts?.output_tokens,
    cacheReadTokens: counts?.cache_read_input_tokens,
    cacheWriteTokens: counts?.cache_creation_input_tokens
  })

export const makeAnswers = (): Answers => {
  const known = new Map<string, AgentUsage>()
  // Kept, since it is read at every answer.
  let total: AgentUsage | undefined

  const keep = (id: string, usage: AgentUsage) => {
    known.set(id, usage)
    const [oldest] = known.keys()
    if (known.size > mostKept && oldest !== undefined) known.delete(oldest)
  }

  return {
    count: (id, counts) => {
      const usage = usageOfCounts(counts)
      if (usage === undefined) return false
      const before = known.get(id)
      const after = before === undefined ? usage : highest(before, usage)
      const more = before === undefined ? usage : grown(before, after)
      keep(id, after)
      total = addUsage(total, more)
      return more !== undefined
    },
    sum: () => total,
    forget: () => {
      known.clear()
      total = undefined
    }
  }
}
