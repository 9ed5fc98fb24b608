/** The result of a run → what the AI SDK is told at the end; pure. */
import type { AgentRunResult, AgentUsage } from "../../contract/AgentRunResult.ts"
import type { ReinsMetadata } from "./AiSdk.ts"
import type { FinishReason, Metadata, Usage } from "./spec.ts"

/** A count that no CLI reports is not known, which is another thing than 0. */
export const usageOf = (usage: AgentUsage = {}): Usage => {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  const counts = [inputTokens, cacheReadTokens, cacheWriteTokens].filter((count) => count !== undefined)
  return {
    inputTokens: {
      total: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0),
      noCache: inputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens
    },
    // How much of it is reasoning no CLI reports for all its models.
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    raw: { ...usage }
  }
}

/** Stop reasons of models, in the words of the CLIs. */
const unified: Readonly<Record<string, FinishReason["unified"]>> = {
  max_tokens: "length",
  length: "length",
  refusal: "content-filter",
  content_filter: "content-filter"
}

export const finishReasonOf = ({ outcome, reason, stopReason }: AgentRunResult): FinishReason => {
  if (reason === "schema_not_met") return { unified: "other", raw: reason }
  if (outcome !== "completed") return { unified: "error", raw: reason }
  const known = stopReason !== undefined && Object.hasOwn(unified, stopReason) ? unified[stopReason] : undefined
  return { unified: known ?? "stop", raw: stopReason }
}

export const metadataOf = (cli: string, result: AgentRunResult): Metadata => {
  const { sessionId, totalCostUsd, durationMs, numTurns } = result
  const metadata: ReinsMetadata = {
    cli,
    durationMs,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(totalCostUsd === undefined ? {} : { costUsd: totalCostUsd }),
    ...(numTurns === undefined ? {} : { numTurns })
  }
  return { ...metadata }
}
