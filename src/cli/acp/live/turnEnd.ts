/** The answer to a prompt → how the turn came out, and what it took; pure. */
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addCounts, usageOf } from "../../../contract/addUsage.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import type { PromptResult } from "../wire.ts"
import type { TurnFacts } from "./flavor.ts"

/** Stop reasons with which the turn was not completed. */
const failures: Readonly<Record<string, string>> = {
  max_turn_requests: "The agent has reached its limit of requests in one turn",
  refusal: "The agent refuses to go on"
}

export const verdictOf = ({ stopReason }: PromptResult): Verdict => {
  const detail = stopReason != null && Object.hasOwn(failures, stopReason) ? failures[stopReason] : undefined
  if (stopReason == null || detail === undefined) return { _tag: "Success" }
  return { _tag: "Failure", reason: new AgentFailed({ code: stopReason, category: "other", detail }) }
}

/** Thoughts are paid for as output. */
const turnUsage = ({ usage }: PromptResult): AgentUsage | undefined =>
  usageOf({
    inputTokens: usage?.inputTokens,
    outputTokens: addCounts(usage?.outputTokens, usage?.thoughtTokens),
    cacheReadTokens: usage?.cachedReadTokens,
    cacheWriteTokens: usage?.cachedWriteTokens
  })

/** Sums of decimal fractions are a little off, and so are their differences. */
const exact = (cost: number) => Math.round(cost * 1e12) / 1e12

/** The agent reports the cost of the session; that of a turn is the increase. */
const costOf = ({ costBefore, costAfter }: TurnFacts) => {
  if (costBefore === undefined || costAfter === undefined || costAfter < costBefore) return undefined
  return exact(costAfter - costBefore)
}

export const reportOf = (result: PromptResult, turn: TurnFacts): RunReport => {
  const usage = turnUsage(result)
  const totalCostUsd = costOf(turn)
  return {
    ...(result.stopReason == null ? {} : { stopReason: result.stopReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(totalCostUsd === undefined ? {} : { totalCostUsd })
  }
}
