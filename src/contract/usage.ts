/**
 * Adds token counts; pure. An unknown count is absent, not 0: a sum has the counts that at least one of its parts has.
 */
import type { AgentUsage } from "./AgentRunResult.ts"

export const countNames = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const

export type Counts = { readonly [Name in keyof AgentUsage]?: number | null | undefined }

/** Without the counts that are unknown. By hand: it is made anew for each answer of a model. */
export const countsBy = (countOf: (name: keyof AgentUsage) => number | null | undefined): AgentUsage => {
  const usage: { -readonly [Name in keyof AgentUsage]: AgentUsage[Name] } = {}
  for (const name of countNames) {
    const count = countOf(name)
    if (count != null) usage[name] = count
  }
  return usage
}

/** Undefined without any count. */
export const usageOf = (counts: Counts): AgentUsage | undefined => {
  const usage = countsBy((name) => counts[name])
  return Object.keys(usage).length === 0 ? undefined : usage
}

/** Undefined if both are. */
export const addCounts = (a: number | null | undefined, b: number | null | undefined): number | undefined =>
  a == null && b == null ? undefined : (a ?? 0) + (b ?? 0)

export const addUsage = (a: AgentUsage | undefined, b: AgentUsage | undefined): AgentUsage | undefined =>
  a === undefined || b === undefined ? (a ?? b) : countsBy((name) => addCounts(a[name], b[name]))

export const isSameUsage = (a: AgentUsage | undefined, b: AgentUsage | undefined): boolean =>
  countNames.every((name) => a?.[name] === b?.[name])
