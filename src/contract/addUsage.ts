/** Adds token counts; pure. An unknown count is absent, not 0; a sum has the counts that one of its parts has. */
import type { AgentUsage } from "./AgentRunResult.ts"

export const countNames = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const

export type Counts = { readonly [Name in keyof AgentUsage]?: Count }

type Count = number | null | undefined

/** By hand, as all of these: they are made anew several times for each answer of a model. */
const known = (input: Count, output: Count, cacheRead: Count, cacheWrite: Count): AgentUsage => {
  const usage: { -readonly [Name in keyof AgentUsage]: AgentUsage[Name] } = {}
  if (input != null) usage.inputTokens = input
  if (output != null) usage.outputTokens = output
  if (cacheRead != null) usage.cacheReadTokens = cacheRead
  if (cacheWrite != null) usage.cacheWriteTokens = cacheWrite
  return usage
}

export const countsBy = (countOf: (name: keyof AgentUsage) => Count): AgentUsage =>
  known(countOf("inputTokens"), countOf("outputTokens"), countOf("cacheReadTokens"), countOf("cacheWriteTokens"))

/** Undefined without any count. */
export const usageOf = ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens
}: Counts): AgentUsage | undefined =>
  (inputTokens ?? outputTokens ?? cacheReadTokens ?? cacheWriteTokens) == null
    ? undefined
    : known(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens)

/** Undefined if both are. */
export const addCounts = (a: Count, b: Count): number | undefined =>
  a == null && b == null ? undefined : (a ?? 0) + (b ?? 0)

export const addUsage = (a: AgentUsage | undefined, b: AgentUsage | undefined): AgentUsage | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : known(
        addCounts(a.inputTokens, b.inputTokens),
        addCounts(a.outputTokens, b.outputTokens),
        addCounts(a.cacheReadTokens, b.cacheReadTokens),
        addCounts(a.cacheWriteTokens, b.cacheWriteTokens)
      )

/** The counts since an earlier total; undefined if one of the two is, or if a count has gone back. */
export const subtractUsage = (
  total: AgentUsage | undefined,
  before: AgentUsage | undefined
): AgentUsage | undefined => {
  if (total === undefined || before === undefined) return undefined
  const since = (name: (typeof countNames)[number]) =>
    total[name] === undefined ? undefined : total[name] - (before[name] ?? 0)
  if (countNames.some((name) => (since(name) ?? 0) < 0)) return undefined
  return countsBy(since)
}

export const isSameUsage = (a: AgentUsage | undefined, b: AgentUsage | undefined): boolean =>
  countNames.every((name) => a?.[name] === b?.[name])
